import Testing
import URLLoading

@testable import SFTPProtocol

/// Downloads from a server that answers as the test says, step by step.
@Suite struct RemoteDownloadTests {
  /// Gives the answers, and notes what was asked for and what the load was told.
  ///
  /// Mutable state: all; used by one thread.
  private final class Script: @unchecked Sendable {
    let client = SFTPClient()
    private(set) var received: [UInt8] = []
    private(set) var failure: URLError?
    private(set) var hasFinished = false
    private var operation: (any RemoteOperation)?

    init() throws {
      client.channelDidOpen()
      _ = requests()
      answer(.version())
      let url = try #require(URL(string: "sftp://host/f"))
      let operation = RemoteDownload(
        URLRequest(url: url), url: url, path: try RemotePath(of: url),
        server: RemoteServer(client: client, perform: { $0() })
      ) { [unowned self] event in
        switch event {
        case .bytes(let bytes): received += bytes
        case .finished: hasFinished = true
        case .failed(let error): failure = error
        default: break
        }
      }
      self.operation = operation
      operation.start()
    }

    /// Types and identifiers of the requests that wait to be sent, and a read's count.
    func requests() -> [(type: UInt8, identifier: UInt32, readCount: UInt32?)] {
      var result: [(type: UInt8, identifier: UInt32, readCount: UInt32?)] = []
      var rest = Array(client.bytesToSend)[...]
      client.channelDidSend(rest.count)
      while rest.count >= 9 {
        let length = Int(Self.word(rest))
        let packet = rest.dropFirst(4).prefix(length)
        result.append(
          (packet.first ?? 0, Self.word(packet.dropFirst()), packet.first == 5 ? Self.word(packet.suffix(4)) : nil))
        rest = rest.dropFirst(4 + length)
      }
      return result
    }

    func answer(_ packet: PacketBytes) {
      packet.framed.withUnsafeBytes { client.channelDidReceive($0) }
    }

    private static func word(_ bytes: some Collection<UInt8>) -> UInt32 {
      bytes.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
    }
  }

  /// A script whose file of 100 bytes was found and opened, and the read that it asks for.
  private func opened() throws -> (script: Script, read: (type: UInt8, identifier: UInt32, readCount: UInt32?)) {
    let script = try Script()
    let stat = try #require(script.requests().last)
    script.answer(.attributes(stat.identifier, size: 100, permissions: 0o100644, time: 5))
    let open = try #require(script.requests().last)
    #expect(open.type == 3)
    script.answer(.handle(open.identifier, [7]))
    let requests = script.requests()
    #expect(requests.map(\.type) == [5])
    return (script, try #require(requests.last))
  }

  @Test func aSmallFileIsReadByOneRequestAndNotAskedForAgain() throws {
    let (script, read) = try opened()
    #expect(read.readCount == 101)
    script.answer(.data(read.identifier, [UInt8](1...100)))
    #expect(script.received == Array(1...100))
    #expect(script.hasFinished)
    // The handle is closed, and nothing else is asked for.
    #expect(script.requests().map(\.type) == [4])
  }

  @Test func aSmallFileThatGrewIsAnError() throws {
    let (script, read) = try opened()
    script.answer(.data(read.identifier, [UInt8](1...101)))
    #expect(script.failure?.localizedDescription.contains("it grew while it was read") == true)
    #expect(!script.hasFinished)
  }

  @Test func aSmallFileThatShrankIsAnError() throws {
    let (script, read) = try opened()
    script.answer(.data(read.identifier, [UInt8](1...40)))
    let rest = script.requests()
    // The rest, and, because it is not from one moment any more, what the file is by then.
    #expect(rest.map(\.type) == [5, 8])
    #expect(rest.first?.readCount == 60)
    #expect(!script.hasFinished)
    script.answer(.status(rest.first?.identifier ?? 0, 1))
    #expect(script.failure?.localizedDescription.contains("it shrank while it was read") == true)
    #expect(!script.hasFinished)
  }

  @Test func aSmallFileInTwoAnswersIsAskedForAgain() throws {
    let (script, read) = try opened()
    script.answer(.data(read.identifier, [UInt8](1...40)))
    let rest = script.requests()
    script.answer(.data(rest.first?.identifier ?? 0, [UInt8](41...100)))
    #expect(!script.hasFinished)
    script.answer(.attributes(rest.last?.identifier ?? 0, size: 100, permissions: 0o100644, time: 6))
    #expect(script.failure?.localizedDescription.contains("it was changed while it was read") == true)
  }
}
