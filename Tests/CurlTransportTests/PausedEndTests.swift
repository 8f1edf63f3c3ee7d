import Foundation
import Testing
import URLLoadingBase
import URLLoadingCurlTransport
import URLLoadingTestServers

/// Transfers whose end is there while their receiving is paused.
@Suite struct PausedEndTests {
  private static let answers = [
    "Content-Length: 10\r\n\r\n0123456789",
    "Content-Length: 10\r\nConnection: close\r\n\r\n0123456789",
    "Transfer-Encoding: chunked\r\n\r\na\r\n0123456789\r\n0\r\n\r\n",
    "\r\n0123456789",
  ]

  /// libcurl 8.4 to 8.20 is due at once as long as receiving is paused, if it has read all and the server has closed the connection.
  @Test(arguments: answers, [false, true]) func costNothing(answer: String, ownerPauses: Bool) async throws {
    let hasEnded = DispatchSemaphore(value: 0)
    let server = try ScriptServer { connection, _ in
      guard connection.readHead() != nil else { return }
      connection.endSending(with: Array("HTTP/1.1 200 OK\r\n\(answer)".utf8))
      hasEnded.signal()
      connection.waitForClose()
    }
    // The end is there when libcurl hands on the bytes.
    let recorder = Recorder(
      onHead: { transfer in
        _ = hasEnded.wait(timeout: .now() + 60)
        if ownerPauses { transfer.pause() }
      }, flow: { _, _, state in state.pauses == 0 && !ownerPauses ? .pause : .accepted })
    let engine = makeEngine()
    let transfer = engine.start(TransferRequest(url: server.url()), handler: recorder)
    _ = try await recorder.wait { $0.head != nil && (ownerPauses || $0.pauses > 0) }
    #expect(try await engine.comesToRest())
    #expect(recorder.state.body.isEmpty && recorder.state.result == nil)
    transfer.resume()
    let state = try await recorder.completion()
    #expect(state.failure == nil && state.body == Array("0123456789".utf8))
  }

  /// An FTP server confirms a file on the control connection, which nobody reads while the transfer is paused.
  @Test func aConfirmedFileCostsNothing() async throws {
    let (mayCome, hasCome, isConfirmed) = (
      DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
    )
    let data = try ScriptServer { connection, _ in
      _ = mayCome.wait(timeout: .now() + 60)
      connection.endSending(with: Array("0123456789".utf8))
      hasCome.signal()
      connection.waitForClose()
    }
    let server = try ScriptServer { connection, _ in
      connection.send("220 hello\r\n")
      while let line = connection.readLine() {
        switch line.prefix(while: { $0 != " " }) {
        case "USER": connection.send("230 in\r\n")
        case "PWD": connection.send("257 \"/\"\r\n")
        case "EPSV": connection.send("229 there (|||\(data.port)|)\r\n")
        case "SIZE": connection.send("213 10\r\n")
        case "RETR":
          connection.send("150 here it comes\r\n")
          mayCome.signal()
          _ = hasCome.wait(timeout: .now() + 60)
          connection.send("226 done\r\n")
          isConfirmed.signal()
        default: connection.send("200 so be it\r\n")
        }
      }
    }
    let recorder = Recorder(flow: { _, _, state in
      guard state.pauses == 0 else { return .accepted }
      _ = isConfirmed.wait(timeout: .now() + 60)
      return .pause
    })
    let engine = makeEngine()
    let request = TransferRequest(url: "ftp://127.0.0.1:\(server.port)/x.bin", kind: .ftp)
    let transfer = engine.start(request, handler: recorder)
    _ = try await recorder.wait { $0.pauses > 0 }
    #expect(try await engine.comesToRest())
    transfer.resume()
    let state = try await recorder.completion()
    #expect(state.failure == nil && state.body == Array("0123456789".utf8))
  }
}
