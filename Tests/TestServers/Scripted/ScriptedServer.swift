import Foundation
import Glibc

/// A server that runs a script on every connection, for what a well-behaved server never sends: at a TCP port, or a Unix socket.
///
/// Each connection has a thread of its own, and scripts block. A connection is closed when its script returns or
/// throws. What scripts throw is kept in `errors`, since a script often fails only because its peer is gone, as the
/// test meant.
///
/// Mutable state: `state`, guarded by its own lock. Descriptors are closed by the threads that use them.
package final class ScriptedServer: Sendable {
  /// What the server saw.
  package struct Log: Sendable {
    /// How many connections were accepted.
    package var connections = 0
    /// How many of them are open.
    package var open = 0
    /// The heads of all requests that scripts read, in order of arrival.
    package var requests: [HTTPRequest] = []
    /// What scripts threw.
    package var errors: [any Error] = []
    var sockets: [Int: SharedSocket] = [:]
    var isStopped = false
  }

  /// The port on the loopback address.
  package let port: UInt16
  /// Its Unix socket; nil for a port.
  package let socketPath: String?
  private let host: String
  private let listener: SharedSocket
  private let state = Watched(Log())

  /// Starts a server on a free port.
  ///
  /// - Parameters:
  ///   - port: the port to listen on; 0 for any that is free.
  ///   - ipv6: whether to listen on ::1 instead of 127.0.0.1.
  ///   - backlog: how many connections wait to be accepted.
  ///   - script: called on a thread of its own for each connection.
  package init(
    port: UInt16 = 0, ipv6: Bool = false, backlog: Int32 = 1024,
    _ script: @escaping @Sendable (Connection) throws -> Void
  ) throws {
    let socket = try ListeningSocket(port: port, ipv6: ipv6, backlog: backlog)
    self.port = socket.port
    socketPath = nil
    host = ipv6 ? "[::1]" : "127.0.0.1"
    let listener = SharedSocket(socket.descriptor)
    self.listener = listener
    Thread.detachNewThread { [state] in Self.accept(listener, state, script) }
  }

  /// Starts a server at a Unix socket.
  ///
  /// - Parameters:
  ///   - path: where nothing is yet.
  ///   - backlog: how many connections wait to be accepted.
  ///   - script: called on a thread of its own for each connection.
  package init(
    socket path: String, backlog: Int32 = 1024, _ script: @escaping @Sendable (Connection) throws -> Void
  ) throws {
    let socket = try ListeningSocket(path: path, backlog: backlog)
    port = 0
    socketPath = path
    host = ""
    let listener = SharedSocket(socket.descriptor)
    self.listener = listener
    Thread.detachNewThread { [state] in Self.accept(listener, state, script) }
  }

  /// Starts a server at a Unix socket that answers every request by `handler` and keeps connections alive.
  package static func http(
    socket path: String, _ handler: @escaping @Sendable (HTTPRequest) throws -> HTTPResponse
  ) throws -> ScriptedServer {
    try ScriptedServer(socket: path) { try Self.serve($0, handler) }
  }

  /// Starts a server that answers every request by `handler` and keeps connections alive.
  ///
  /// Request bodies are read before, and `Expect: 100-continue` is answered. A handler that throws closes the
  /// connection.
  package static func http(
    port: UInt16 = 0, ipv6: Bool = false, _ handler: @escaping @Sendable (HTTPRequest) throws -> HTTPResponse
  ) throws -> ScriptedServer {
    try ScriptedServer(port: port, ipv6: ipv6) { try Self.serve($0, handler) }
  }

  private static func serve(
    _ connection: Connection, _ handler: (HTTPRequest) throws -> HTTPResponse
  ) throws {
    while let request = try connection.readRequest() {
      let response = try handler(request)
      try connection.send(response, to: request)
      let closes = [request.fields["Connection"], response.fields["Connection"]]
      if closes.contains(where: { $0?.lowercased() == "close" }) { break }
    }
  }

  /// Starts a server that reads the head of a request, and says nothing until the peer closes.
  package static func silent() throws -> ScriptedServer {
    try ScriptedServer { connection in
      _ = try connection.readRequestHead()
      _ = connection.waitForPeerClose(timeout: .seconds(60))
    }
  }

  deinit {
    shutDown()
  }

  /// A URL of this server. The path starts with a slash.
  package func url(_ path: String = "/", scheme: String = "http") -> URL {
    if let socketPath {
      let host = socketPath.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
      return URL(string: "\(scheme)+unix://\(host)\(path)") ?? URL(fileURLWithPath: path)
    }
    return URL(string: "\(scheme)://\(host):\(port)\(path)") ?? URL(fileURLWithPath: path)
  }

  /// What the server saw so far.
  package var log: Log { state.value }

  /// How many connections were accepted so far.
  package var connectionCount: Int { state.read { $0.connections } }

  /// How many connections are open now.
  package var openConnectionCount: Int { state.read { $0.open } }

  /// The heads of the requests that scripts read so far.
  package var requests: [HTTPRequest] { state.read { $0.requests } }

  /// What scripts threw so far.
  package var errors: [any Error] { state.read { $0.errors } }

  /// Waits until the log fulfils a condition; false if it does not within the timeout.
  package func wait(
    timeout: Duration = .seconds(10), until condition: @escaping @Sendable (Log) -> Bool
  ) async -> Bool {
    await state.wait(timeout: timeout, until: condition)
  }

  /// Waits until `count` connections were accepted.
  package func waitForConnections(_ count: Int, timeout: Duration = .seconds(10)) async -> Bool {
    await wait(timeout: timeout) { $0.connections >= count }
  }

  /// Waits until scripts read `count` requests.
  package func waitForRequests(_ count: Int, timeout: Duration = .seconds(10)) async -> Bool {
    await wait(timeout: timeout) { $0.requests.count >= count }
  }

  /// Waits until no connection is open.
  package func waitForIdle(timeout: Duration = .seconds(10)) async -> Bool {
    await wait(timeout: timeout) { $0.open == 0 }
  }

  /// Stops listening, ends all connections and waits for their scripts.
  @discardableResult
  package func stop(timeout: Duration = .seconds(10)) async -> Bool {
    shutDown()
    return await wait(timeout: timeout) { $0.isStopped && $0.open == 0 }
  }

  /// Ends all connections and goes on listening.
  package func dropConnections() {
    state.read { $0.sockets.values.forEach { $0.shutdown() } }
  }

  private func shutDown() {
    // Shutting a listening socket down wakes its accept.
    listener.shutdown()
    dropConnections()
  }

  private static func accept(
    _ listener: SharedSocket, _ state: Watched<Log>, _ script: @escaping @Sendable (Connection) throws -> Void
  ) {
    while let socket = listener.accept() {
      let number = state.update { log in
        log.connections += 1
        log.open += 1
        log.sockets[log.connections] = socket
        return log.connections
      }
      Thread.detachNewThread { serve(socket, number, state, script) }
    }
    listener.close()
    state.update { log in
      log.isStopped = true
      // A connection that was accepted while the others were being ended.
      log.sockets.values.forEach { $0.shutdown() }
    }
  }

  private static func serve(
    _ socket: SharedSocket, _ number: Int, _ state: Watched<Log>, _ script: (Connection) throws -> Void
  ) {
    let connection = Connection(number: number, socket: socket) { request in
      state.update { $0.requests.append(request) }
    }
    do {
      try script(connection)
    } catch {
      state.update { $0.errors.append(error) }
    }
    socket.close()
    state.update { log in
      log.open -= 1
      log.sockets[number] = nil
    }
  }
}
