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

  /// What a full socket does not take follows what it took.
  @Test func aPeerThatReadsLateGetsAllInOrder() async throws {
    let reads = AsyncEvent()
    let received = Watched(Data())
    let server = try ScriptedServer { connection in
      try WebSocketPeer.agree(connection)
      guard reads.waitBlocking() else { return }
      while case let bytes = try connection.readSome(), !bytes.isEmpty { received.update { $0.append(bytes) } }
    }
    let session = session()
    let task = session.webSocketTask(with: server.url(scheme: "ws"))
    task.resume()
    let sent = Watched(0)
    // More than the sockets' buffers hold, in frames that begin anywhere in a piece.
    let messages = (0..<700).map { Data(repeating: UInt8($0 & 0xff), count: 20_000 + $0) }
    for message in messages { task.send(.data(message)) { error in sent.update { $0 += error == nil ? 1 : 0 } } }
    #expect(await sent.settled() < messages.count)
    reads.signal()
    #expect(await sent.wait { $0 == messages.count })
    let total = messages.reduce(0) { $0 + $1.count + 8 }
    #expect(await received.wait { $0.count == total })
    #expect(try await eventually { task.countOfBytesSent == Int64(total) })
    var rest = [UInt8](received.value)[...]
    for message in messages {
      let (head, mask) = (rest.prefix(4), [UInt8](rest.dropFirst(4).prefix(4)))
      try #require(Array(head) == [0x82, 0xfe, UInt8(message.count >> 8), UInt8(message.count & 0xff)])
      let payload = rest.dropFirst(8).prefix(message.count)
      let isRight = stride(from: 0, to: message.count, by: 97).allSatisfy {
        payload[payload.startIndex + $0] ^ mask[$0 & 3] == message[0]
      }
      #expect(isRight, "a message of \(message.count)")
      rest = rest.dropFirst(8 + message.count)
    }
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
