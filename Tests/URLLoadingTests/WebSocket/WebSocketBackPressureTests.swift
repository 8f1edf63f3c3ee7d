import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoading

/// Whoever does not read holds back the one who sends, in both directions.
@Suite(.timeLimit(.minutes(4))) struct WebSocketBackPressureTests {
  private static let message = Data(count: 16 << 10)
  /// 64 MiB.
  private static let count = 4_096
  /// 16 MiB: what the session buffers, and what is in the sockets' buffers.
  private static let bound = 1_024

  private func session() -> URLSession {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.connectionProxyDictionary = [:]
    return URLSession(configuration: configuration)
  }

  @Test func aSlowOwnerHoldsThePeerBack() async throws {
    let sent = Watched(0)
    let server = try ScriptedServer { connection in
      try WebSocketPeer.agree(connection)
      let frame = WebSocketPeer.frame(0x82, Self.message)
      for _ in 0..<Self.count {
        try connection.send(frame)
        sent.update { $0 += 1 }
      }
      try connection.send(WebSocketPeer.close(1000))
      _ = connection.waitForPeerClose()
    }
    let session = session()
    let task = session.webSocketTask(with: server.url(scheme: "ws"))
    task.resume()
    _ = try await task.receive()
    let ahead = await sent.settled()
    #expect(ahead < Self.bound)
    for _ in 1..<Self.count {
      guard case .data(let data) = try await task.receive(), data.count == Self.message.count else {
        Issue.record("another message")
        break
      }
    }
    #expect(await sent.wait { $0 == Self.count })
    await #expect(throws: URLError.self) { try await task.receive() }
    #expect(task.closeCode == .normalClosure)
    session.invalidateAndCancel()
    _ = await server.stop()
  }

  /// A send completes as the connection takes it.
  @Test func aPeerThatDoesNotReadHoldsItsSenderBack() async throws {
    let reads = AsyncEvent()
    let server = try ScriptedServer { connection in
      try WebSocketPeer.agree(connection)
      guard reads.waitBlocking() else { return }
      while try !connection.readSome().isEmpty {}
    }
    let session = session()
    let task = session.webSocketTask(with: server.url(scheme: "ws"))
    task.resume()
    let sent = Watched(0)
    let sending = Task {
      for _ in 0..<Self.count {
        try await task.send(.data(Self.message))
        sent.update { $0 += 1 }
      }
    }
    #expect(await sent.wait { $0 > 0 })
    let ahead = await sent.settled()
    #expect(ahead < Self.bound)
    reads.signal()
    try await sending.value
    #expect(sent.value == Self.count)
    session.invalidateAndCancel()
    _ = await server.stop()
  }

  @Test func aSendThatWaitsForThePeerIsCancelled() async throws {
    let isOver = AsyncEvent()
    let server = try ScriptedServer { connection in
      try WebSocketPeer.agree(connection)
      _ = isOver.waitBlocking()
    }
    let session = session()
    let task = session.webSocketTask(with: server.url(scheme: "ws"))
    task.resume()
    let sent = Watched(0)
    let sending = Task {
      for _ in 0..<Self.count {
        try await task.send(.data(Self.message))
        sent.update { $0 += 1 }
      }
    }
    #expect(await sent.wait { $0 > 0 })
    _ = await sent.settled()
    task.cancel()
    let error = await #expect(throws: URLError.self) { try await sending.value }
    #expect(error?.code == .cancelled)
    isOver.signal()
    session.invalidateAndCancel()
    _ = await server.stop()
  }
}
