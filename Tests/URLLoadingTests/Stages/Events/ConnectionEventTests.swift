import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// What a session's listener hears of its connections.
@Suite(.timeLimit(.minutes(4))) struct ConnectionEventTests {
  private final class Connections: URLSession.EventListener {
    struct Log: Sendable {
      var opened: [URLSession.EventConnection] = []
      var closed: [URLSession.EventConnection] = []

      var open: Int { opened.count - closed.count }
    }

    let log = Watched(Log())

    // No task has events: connections are the session's.
    func listener(for request: URLRequest) -> (any URLSession.EventListener)? { nil }
    func didOpenConnection(_ connection: URLSession.EventConnection) { log.update { $0.opened.append(connection) } }
    func didCloseConnection(_ connection: URLSession.EventConnection) { log.update { $0.closed.append(connection) } }
  }

  private let connections = Connections()

  private func session(_ change: (URLSessionConfiguration) -> Void = { _ in }) -> URLSession {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.connectionProxyDictionary = [:]
    configuration.sessionEventListener = URLSession.EventForwarder([connections])
    change(configuration)
    return URLSession(configuration: configuration)
  }

  @Test func aConnectionIsToldOnceAndItsEnd() async throws {
    let server = try ScriptedServer.http { _ in HTTPResponse(text: "x") }
    let session = session()
    for _ in 0..<3 { _ = try await session.data(from: server.url("/a")) }
    let connection = try #require(connections.log.value.opened.first)
    #expect(connections.log.value.opened.count == 1 && connections.log.value.closed.isEmpty)
    #expect(connection.remoteAddress == "127.0.0.1" && connection.remotePort == Int(server.port))
    session.invalidateAndCancel()
    #expect(await connections.log.wait { $0.closed == [connection] })
  }

  @Test func connectionsOfManyLoads() async throws {
    let server = try ScriptedServer.http { _ in HTTPResponse(text: "x") }
    let session = session()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<60 { group.addTask { _ = try await session.data(from: server.url("/a")) } }
      try await group.waitForAll()
    }
    #expect(connections.log.value.open == server.openConnectionCount)
    #expect(Set(connections.log.value.opened.map(\.id)).count == server.connectionCount)
    await session.finishTasksAndInvalidate(within: .seconds(30))
    #expect(await connections.log.wait { $0.open == 0 })
    #expect(Set(connections.log.value.closed) == Set(connections.log.value.opened))
  }

  @Test func aConnectionThatTheServerCloses() async throws {
    let server = try ScriptedServer.http { _ in HTTPResponse(fields: ["Connection": "close"], text: "x") }
    let session = session()
    for _ in 0..<5 { _ = try await session.data(from: server.url("/a")) }
    #expect(await connections.log.wait { $0.opened.count == 5 && $0.open == 0 })
  }

  @Test func noConnectionIsNone() async throws {
    let port = try FreePort.pick()
    _ = try? await session().data(from: try #require(URL(string: "http://127.0.0.1:\(port)/")))
    #expect(connections.log.value.opened.isEmpty && connections.log.value.closed.isEmpty)
  }

  @Test func encryptedConnections() async throws {
    let server = try await NginxServer.shared
    let certificates = try await TestCertificates.shared
    let session = session { $0.certificateAuthorityFile = certificates.authority }
    for _ in 0..<2 { _ = try await session.data(from: server.url(on: .https)) }
    #expect(connections.log.value.opened.count == 1)
    session.invalidateAndCancel()
    #expect(await connections.log.wait { $0.open == 0 })
  }
}
