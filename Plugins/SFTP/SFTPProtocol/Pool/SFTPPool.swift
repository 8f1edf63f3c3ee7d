import URLLoading
internal import URLLoadingBase

/// The SFTP connections of a session.
///
/// Mutable state: `state`, guarded by its lock, which is not held during calls to loads and transports.
final class SFTPPool: URLSessionComponent {
  /// A connection for a load, or the reason why there is none.
  typealias Grant = Result<Connection, SFTPFailure>

  struct Connection: Sendable {
    let server: RemoteServer
    let metrics: SSHConnectionMetrics
    /// Whether other loads used it before.
    let isReused: Bool
  }

  private struct Member {
    let client: SFTPClient
    let transport: any SFTPTransport
    var servedCount = 0
  }

  private struct Waiter {
    let waiter: any ConnectionWaiter
    let granted: @Sendable (Grant) -> Void
  }

  private struct State {
    var plan: ConnectionPlan<ServerPlace>
    var members: [Int: Member] = [:]
    var waiters: [Int: Waiter] = [:]
    var nextLoad = 0

    /// The calls that give loads a connection, to be made without the lock.
    mutating func grants(_ loads: [Int], _ connection: Int) -> [@Sendable () -> Void] {
      loads.compactMap { load in
        guard let waiter = waiters.removeValue(forKey: load), let member = members[connection] else { return nil }
        members[connection]?.servedCount += 1
        let server = RemoteServer(client: member.client, perform: { member.transport.perform($0) })
        let granted = Connection(
          server: server, metrics: member.transport.metrics, isReused: member.servedCount > 0)
        return { waiter.granted(.success(granted)) }
      }
    }
  }

  private let state: Locked<State>
  private let connector: any SFTPConnector
  private let idleTime: TimeInterval
  private let shutdownTimeout: TimeInterval

  /// The pool of a session whose connections are made by SSH.
  convenience init(configuration: URLSessionConfiguration) {
    self.init(
      connector: SSHConnector(
        source: .machine(for: configuration), credentials: configuration.urlCredentialStorage,
        network: configuration.network),
      largestConnectionCount: configuration.httpMaximumConnectionsPerHost)
  }

  /// - Parameters:
  ///   - idleTime: seconds after which a connection without loads is closed.
  ///   - shutdownTimeout: seconds that the server has after that for work that ended loads left.
  init(
    connector: any SFTPConnector, largestConnectionCount: Int, idleTime: TimeInterval = 30,
    shutdownTimeout: TimeInterval = 20
  ) {
    self.connector = connector
    self.idleTime = idleTime
    self.shutdownTimeout = shutdownTimeout
    state = Locked(State(plan: ConnectionPlan(largestConnectionCount: largestConnectionCount)))
  }

  // MARK: Loads

  /// Gets a connection for a load.
  /// - Parameters:
  ///   - number: gets the number for ``release(_:)``, before anything else happens.
  ///   - granted: called once, on any thread, perhaps before this returns; not after ``release(_:)``, unless both happen at once.
  func acquire(
    _ place: ServerPlace, for waiter: any ConnectionWaiter, number: (Int) -> Void,
    _ granted: @escaping @Sendable (Grant) -> Void
  ) {
    let (load, action, grants) = state.withLock { state in
      let load = state.nextLoad
      state.nextLoad += 1
      let action = state.plan.acquire(load, place)
      if action != .refuse { state.waiters[load] = Waiter(waiter: waiter, granted: granted) }
      var grants: [@Sendable () -> Void] = []
      if case .use(let connection) = action { grants = state.grants([load], connection) }
      return (load, action, grants)
    }
    number(load)
    switch action {
    case .use: for grant in grants { grant() }
    case .connect(let connection): connect(connection, place)
    case .wait: break
    case .refuse: granted(.failure(.connectionLost(reason: CancellationError(), wasSent: false)))
    }
  }

  /// The load does not need its connection any more, or does not wait for one any more.
  func release(_ load: Int) {
    let (connection, action, member) = state.withLock { state in
      state.waiters[load] = nil
      guard let (connection, action) = state.plan.release(load) else {
        return (-1, ConnectionPlan<ServerPlace>.ReleaseAction.nothing, Member?.none)
      }
      return (connection, action, action == .close ? state.members.removeValue(forKey: connection) : nil)
    }
    switch action {
    case .nothing: break
    case .close: retire(member)
    case .idle(let since):
      DispatchQueue.global().asyncAfter(deadline: .now() + idleTime) { [weak self] in
        self?.closeIfIdle(connection, since: since)
      }
    }
  }

  // MARK: Connections

  private func connect(_ connection: Int, _ place: ServerPlace) {
    let client = SFTPClient(
      onReady: { [weak self] in self?.connected(connection) },
      onEnd: { [weak self] in self?.ended(connection, $0) })
    let questions = ConnectionQuestions { [weak self] in self?.firstWaiting(for: connection) }
    let transport = connector.makeTransport(to: place, client: client, questions: questions)
    let isWanted = state.withLock { state in
      let isWanted = state.plan.connectionIDs.contains(connection)
      if isWanted { state.members[connection] = Member(client: client, transport: transport) }
      return isWanted
    }
    if isWanted { transport.start() } else { transport.close() }
  }

  private func connected(_ connection: Int) {
    let grants = state.withLock { state in state.grants(state.plan.connected(connection), connection) }
    for grant in grants { grant() }
  }

  private func ended(_ connection: Int, _ failure: SFTPFailure) {
    let (waiters, member) = state.withLock { state in
      let waiters = state.plan.ended(connection).compactMap { state.waiters.removeValue(forKey: $0) }
      return (waiters, state.members.removeValue(forKey: connection))
    }
    member?.transport.close()
    for waiter in waiters { waiter.granted(.failure(failure)) }
  }

  private func closeIfIdle(_ connection: Int, since: Int) {
    let member = state.withLock { state in
      state.plan.idled(connection, since: since) ? state.members.removeValue(forKey: connection) : nil
    }
    retire(member)
  }

  /// Closes a connection without loads when the work that they left is done, or after the shutdown timeout.
  private func retire(_ member: Member?) {
    guard let member else { return }
    let (client, transport) = (member.client, member.transport)
    guard member.servedCount > 0 else { return transport.close() }
    // Behind what the last load has posted.
    transport.perform { [shutdownTimeout] in
      guard client.isBusy else { return transport.close() }
      client.onIdle = { transport.close() }
      DispatchQueue.global().asyncAfter(deadline: .now() + shutdownTimeout) { transport.close() }
    }
  }

  private func firstWaiting(for connection: Int) -> ConnectionQuestions.Candidate? {
    let found = state.withLock { state in
      let load = state.plan.waitingLoads(for: connection).first { state.waiters[$0] != nil }
      return load.flatMap { load in state.waiters[load].map { (load, $0.waiter) } }
    }
    return found.map { load, waiter in
      (waiter, { [weak self] in self?.state.withLock { _ = $0.waiters.removeValue(forKey: load) } })
    }
  }

  // MARK: The session

  func flush() { retireIdle { $0.flush() } }

  func invalidate() { retireIdle { $0.invalidate() } }

  private func retireIdle(_ choose: (inout ConnectionPlan<ServerPlace>) -> [Int]) {
    let members = state.withLock { state in
      choose(&state.plan).map { state.members.removeValue(forKey: $0) }
    }
    for member in members { retire(member) }
  }
}
