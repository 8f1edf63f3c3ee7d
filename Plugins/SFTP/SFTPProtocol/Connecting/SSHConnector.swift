import Foundation
import URLLoading
internal import URLLoadingBase

/// Makes connections by SSH, as the configuration files say, and remembers for a session what was answered.
///
/// Mutable state: none; `memory` guards its own.
final class SSHConnector: SFTPConnector {
  /// Reads files, which may block.
  private static let preparing = BlockingPool(name: "SFTP configuration", maximumThreadCount: 8)

  private let memory: SessionMemory
  private let source: ConfigurationSource

  /// - Parameter credentials: where questions are answered from before anybody is asked.
  init(source: ConfigurationSource = .machine, credentials: URLCredentialStorage?) {
    self.source = source
    memory = SessionMemory(storage: credentials)
  }

  func connect(to place: ServerPlace, client: SFTPClient, questions: ConnectionQuestions) -> any SFTPTransport {
    let transport = SSHTransport(client)
    Self.preparing.run { [memory, source] in
      let plan = ConnectionOptionsPlan(place: place, source: source, memory: memory, questions: questions)
      do throws(SSHFailure) {
        transport.connect(try plan.options())
      } catch {
        transport.fail(error)
      }
    }
    return transport
  }
}

/// A connection by SSH, from before its configuration was read until after its end.
///
/// Mutable state: `state`, guarded by its lock. `afterwards` runs what comes after the connection's end.
final class SSHTransport: SFTPTransport {
  private enum Phase {
    case preparing
    case connecting(SSHConnection)
    case closed
  }

  private struct State {
    var phase = Phase.preparing
    /// Work that came before there was a connection.
    var early: [@Sendable () -> Void] = []
  }

  private let client: SFTPClient
  private let state = Locked(State())
  private let afterwards = DispatchQueue(label: "SFTP connection that has ended")

  init(_ client: SFTPClient) {
    self.client = client
  }

  /// The configuration is known.
  func connect(_ options: SSHConnectionOptions) {
    let connection = SSHConnection(options, user: client)
    let (isWanted, early) = state.withLock { state in
      defer { state.early = [] }
      guard case .preparing = state.phase else { return (false, state.early) }
      state.phase = .connecting(connection)
      return (true, state.early)
    }
    if isWanted { connection.start() } else { end(nil) }
    for work in early { perform(work) }
  }

  /// There is no way to connect.
  func fail(_ failure: SSHFailure) {
    let early = state.withLock { state in
      state.phase = .closed
      defer { state.early = [] }
      return state.early
    }
    end(failure)
    for work in early { perform(work) }
  }

  func perform(_ work: @escaping @Sendable () -> Void) {
    let (connection, isEarly) = state.withLock { state -> (SSHConnection?, Bool) in
      switch state.phase {
      case .preparing:
        state.early.append(work)
        return (nil, true)
      case .connecting(let connection): return (connection, false)
      case .closed: return (nil, false)
      }
    }
    guard !isEarly else { return }
    guard connection?.perform(work) != true else { return }
    afterwards.async {
      // A connection that refuses work may be about to do its last.
      connection?.waitForLastWork()
      work()
    }
  }

  func close() {
    let connection = state.withLock { state -> SSHConnection? in
      if case .connecting(let connection) = state.phase { return connection }
      state.phase = .closed
      return nil
    }
    connection?.close(SSHFailure(.cancelled, "the connection was closed"))
  }

  /// The client learns of the end of what was never begun.
  private func end(_ failure: SSHFailure?) {
    afterwards.async { [client] in client.channelDidClose(failure) }
  }

  var facts: ConnectionFacts {
    guard case .connecting(let connection) = state.withLock({ $0.phase }) else { return ConnectionFacts() }
    let metrics = connection.metrics
    var facts = ConnectionFacts()
    facts.lookupStart = metrics.lookupStart
    facts.lookupEnd = metrics.lookupEnd
    facts.connectStart = metrics.lookupEnd ?? metrics.start
    facts.keyExchangeStart = metrics.connected
    facts.keyExchangeEnd = metrics.keysExchanged
    facts.connectEnd = metrics.opened
    facts.localAddress = metrics.localAddress
    facts.localPort = metrics.localPort.map(Int.init)
    facts.remoteAddress = metrics.address
    facts.remotePort = Int(connection.options.port)
    facts.protocolName = (["sftp"] + [metrics.keyExchange, metrics.cipherIn, metrics.macIn].compactMap(\.self))
      .joined(separator: "/")
    return facts
  }
}
