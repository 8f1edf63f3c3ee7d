import Foundation
import URLLoading
internal import URLLoadingBase

/// Makes connections by SSH, as the configuration files say, and remembers answers for a session.
///
/// Mutable state: none; `memory` guards its own.
final class SSHConnector: SFTPConnector {
  private let memory: SessionMemory
  private let source: ConfigurationSource
  private let network: NetworkSettings

  /// - Parameter credentials: answers questions before the delegate is asked.
  init(
    source: ConfigurationSource = .machine, credentials: URLCredentialStorage?,
    network: NetworkSettings = NetworkSettings()
  ) {
    self.source = source
    self.network = network
    memory = SessionMemory(storage: credentials)
  }

  func makeTransport(
    to place: ServerPlace, client: SFTPClient, questions: ConnectionQuestions
  ) -> any SFTPTransport {
    SSHTransport(
      client,
      ConnectionOptionsPlan(place: place, source: source, memory: memory, questions: questions, network: network))
  }
}

/// A connection by SSH, from before its configuration was read until after its end.
///
/// Mutable state: `state`, guarded by its lock.
final class SSHTransport: SFTPTransport {
  private struct State {
    /// Nil until the configuration was read.
    var connection: SSHConnection?
    var isClosed = false
  }

  /// Reads files, which may block.
  private static let preparing = BlockingPool(name: "SFTP configuration", maximumThreadCount: 8)

  private let client: SFTPClient
  private let plan: ConnectionOptionsPlan
  private let state = Locked(State())
  /// Runs work that comes after the connection's end.
  private let afterwards = DispatchQueue(label: "SFTP connection that has ended")

  init(_ client: SFTPClient, _ plan: ConnectionOptionsPlan) {
    self.client = client
    self.plan = plan
  }

  func start() {
    Self.preparing.run { [self] in
      do throws(SSHFailure) {
        connect(try plan.options())
      } catch {
        end(error)
      }
    }
  }

  private func connect(_ options: SSHConnectionOptions) {
    let connection = SSHConnection(options, user: client)
    let isWanted = state.withLock { state in
      if !state.isClosed { state.connection = connection }
      return !state.isClosed
    }
    if isWanted { connection.start() } else { end(nil) }
  }

  func perform(_ work: @escaping @Sendable () -> Void) {
    let connection = state.withLock { $0.connection }
    guard connection?.perform(work) != true else { return }
    afterwards.async {
      // A connection that refuses work may still run its last.
      connection?.waitForLastWork()
      work()
    }
  }

  func close() {
    let connection = state.withLock { state in
      state.isClosed = true
      return state.connection
    }
    connection?.close(SSHFailure(.cancelled, "the connection was closed"))
  }

  /// Ends a connection that was not begun.
  private func end(_ failure: SSHFailure?) {
    afterwards.async { [client] in client.channelDidClose(failure) }
  }

  var metrics: SSHConnectionMetrics { state.withLock { $0.connection }?.metrics ?? SSHConnectionMetrics() }
}
