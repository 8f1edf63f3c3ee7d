import Foundation
import Glibc

/// Stands in front of a server, lets as many bytes pass as it is told to, and goes away and comes back.
///
/// It is at 127.0.0.2, with the server's own ports, so that what the server says of its ports holds for the gate (RFC 2428 section 3).
///
/// Mutable state: `state`, guarded by its own lock.
package final class ServerGate: Sendable {
  /// The address that it listens on.
  package static let host = "127.0.0.2"
  private static let hostNumber: UInt8 = 2
  /// In bytes: what a client has sent and no server has got, in each connection.
  private static let receiveBuffer: Int32 = 64 << 10

  private let ports: [UInt16]
  private let state = Watched(State())

  /// What the threads of a gate share.
  struct State: Sendable {
    /// How many bytes have passed, in both directions.
    var passed = 0
    /// How many may.
    var limit = Int.max
    var connections: [Int: GateConnection] = [:]
    /// How many connections there were.
    var count = 0
    /// Connections pass; others that are accepted are ended at once.
    var isOpen = false
    /// By their ports.
    var listeners: [UInt16: SharedSocket] = [:]
  }

  /// Opens a gate in front of a server on 127.0.0.1.
  /// - Parameter ports: all ports that clients connect to.
  package init(ports: [UInt16]) throws {
    self.ports = ports
    try open()
  }

  deinit { shutDown() }

  /// The address of something behind the gate, of what it is without one.
  package func address(_ text: String) -> String { text.replacingOccurrences(of: "127.0.0.1", with: Self.host) }

  /// How many bytes have passed so far, in both directions together.
  package var passedCount: Int { state.read { $0.passed } }

  /// How many connections there were so far.
  package var connectionCount: Int { state.read { $0.count } }

  /// Lets so many bytes pass from now on, in both directions together; nil for as many as there are.
  package func allow(_ count: Int?) {
    state.update { state in state.limit = count.map { state.passed + $0 } ?? .max }
  }

  /// Waits until so many bytes have passed since the beginning; false if they have not within the timeout.
  package func wait(untilPassed count: Int, timeout: Duration = .seconds(60)) async -> Bool {
    await state.wait(timeout: timeout) { $0.passed >= count }
  }

  /// Ends connections, and goes on listening.
  /// - Parameter number: the last one of them, counted from 1.
  package func dropConnections(upTo number: Int = .max) {
    state.update { state in
      for (key, connection) in state.connections where key <= number {
        connection.shutDown()
        state.connections[key] = nil
      }
    }
  }

  /// Ends all connections and refuses others.
  /// - Throws: `TestServerError` where it still listens after a minute.
  package func close() async throws {
    shutDown()
    guard await state.wait(until: { $0.listeners.isEmpty }) else { throw TestServerError("the gate still listens") }
  }

  /// Listens again, on the same ports.
  package func open() throws {
    state.update { $0.isOpen = true }
    for port in ports {
      let socket = try ListeningSocket(port: port, host: Self.hostNumber, receiveBuffer: Self.receiveBuffer)
      let listener = SharedSocket(socket.descriptor)
      state.update { $0.listeners[port] = listener }
      Thread.detachNewThread { [state] in
        Self.accept(listener, port, state)
        listener.close()
        state.update { $0.listeners[port] = nil }
      }
    }
  }

  private func shutDown() {
    state.update { state in
      state.isOpen = false
      // Shutting a listening socket down wakes its accept.
      for listener in state.listeners.values { listener.shutdown() }
    }
    dropConnections()
  }

  private static func accept(_ listener: SharedSocket, _ port: UInt16, _ state: Watched<State>) {
    while let client = listener.accept() {
      guard let server = serverSocket(port) else { continue }
      let connection = GateConnection(client: client, server: server)
      let number = state.update { state -> Int? in
        guard state.isOpen else { return nil }
        state.count += 1
        state.connections[state.count] = connection
        return state.count
      }
      // The sockets of a connection that came too late are closed with it.
      if let number { connection.start(number, state) }
    }
  }

  /// Connects to the server; nil where it does not answer.
  private static func serverSocket(_ port: UInt16) -> SharedSocket? {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return nil }
    let server = SharedSocket(descriptor)
    let isThere = LoopbackAddress(port: port).withPointer { connect(descriptor, $0, $1) } == 0
    return isThere ? server : nil
  }
}
