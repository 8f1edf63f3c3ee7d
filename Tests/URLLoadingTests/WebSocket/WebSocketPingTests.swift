import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// Pings with a handler.
@Suite(.timeLimit(.minutes(4))) struct WebSocketPingTests {
  private struct Pong: Equatable, Sendable {
    let isOnQueue: Bool
    let code: URLError.Code?
  }

  private let pongs = Watched<[Pong]>([])

  private func session() -> URLSession {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.connectionProxyDictionary = [:]
    return URLSession(configuration: configuration)
  }

  private func ping(_ task: URLSessionWebSocketTask, of session: URLSession) {
    task.sendPing(pongReceiveHandler: { [pongs] error in
      let isOnQueue = OperationQueue.current === session.delegateQueue
      let code = error.map { ($0 as? URLError)?.code ?? .unknown }
      pongs.update { $0.append(Pong(isOnQueue: isOnQueue, code: code)) }
    })
  }

  /// Each ping has its pong, the one that was sent before the task was resumed as well.
  @Test func theHandlerIsCalledWithThePong() async throws {
    let server = try await WebSocketServer.start()
    let session = session()
    let task = session.webSocketTask(with: server.url("/echo"))
    ping(task, of: session)
    #expect(pongs.value.isEmpty)
    task.resume()
    ping(task, of: session)
    #expect(await pongs.wait { $0.count == 2 })
    let pong = Pong(isOnQueue: true, code: nil)
    #expect(pongs.value == [pong, pong])
    session.invalidateAndCancel()
    await server.stop()
  }

  /// The peer reads a ping, and closes in place of an answer.
  @Test func aConnectionThatEndsFirstIsAnError() async throws {
    let server = try ScriptedServer { connection in
      try WebSocketPeer.agree(connection)
      _ = try connection.readSome()
    }
    let session = session()
    let task = session.webSocketTask(with: server.url(scheme: "ws"))
    task.resume()
    ping(task, of: session)
    #expect(await pongs.wait { $0.count == 1 })
    #expect(pongs.value == [Pong(isOnQueue: true, code: .networkConnectionLost)])
    session.invalidateAndCancel()
    _ = await server.stop()
  }

  @Test func aCancelledTaskIsAnError() async throws {
    let server = try ScriptedServer { connection in
      try WebSocketPeer.agree(connection)
      _ = connection.waitForPeerClose()
    }
    let session = session()
    let task = session.webSocketTask(with: server.url(scheme: "ws"))
    task.resume()
    ping(task, of: session)
    task.cancel()
    ping(task, of: session)
    #expect(await pongs.wait { $0.count == 2 })
    let pong = Pong(isOnQueue: true, code: .cancelled)
    #expect(pongs.value == [pong, pong])
    session.invalidateAndCancel()
    _ = await server.stop()
  }
}
