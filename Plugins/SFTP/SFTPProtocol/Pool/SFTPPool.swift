import URLLoading
internal import URLLoadingBase

/// The SFTP connections of a session.
///
/// Mutable state: `state`, guarded by its lock. Nothing is called while it is held.
final class SFTPPool: URLSessionComponent {
  /// What a load gets: a connection, or the reason why there is none.
  typealias Grant = Result<Connection, SFTPFailure>

  /// A connection that a load uses.
  struct Connection: Sendable {
    let server: RemoteServer
    let facts: ConnectionFacts
    /// Whether other loads had it before.
    let isReused: Bool
  }

  private struct Member {
    let client: SFTPClient
    var transport: (any SFTPTransport)?
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
    /// Loads that have a connection whose transport is about to be known.
    var granted: [Int: [Int]] = [:]
    var nextLoad = 0
  }

  private let state: Locked<State>
  private let connector: any SFTPConnector
  private let idleTime: TimeInterval
  private let shutdownTimeout: TimeInterval

  /// The pool of a session whose connections are made by SSH.
  convenience init(configuration: URLSessionConfiguration) {
    self.init(
      connector: SSHConnector(credentials: configuration.urlCredentialStorage),
      largestConnectionCount: configuration.httpMaximumConnectionsPerHost)
  }

  /// - Parameters:
  ///   - idleTime: seconds after which a connection without loads is closed.
  ///   - shutdownTimeout: seconds that the server has, after that, for what ended loads left to be done.
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
  ///   - granted: called once, on any thread, perhaps before this returns; hardly after ``release(_:)``.
  func acquire(
    _ place: ServerPlace, for waiter: any ConnectionWaiter, number: (Int) -> Void,
    _ granted: @escaping @Sendable (Grant) -> Void
  ) {
    let (load, action) = state.withLock { state in
      let load = state.nextLoad
      state.nextLoad += 1
      state.waiters[load] = Waiter(waiter: waiter, granted: granted)
      return (load, state.plan.acquire(load, place))
    }
    number(load)
    switch action {
    case .use(let connection): grant([load], connection)
    case .connect(let connection): connect(connection, place)
    case .wait: break
    case .refuse:
      state.withLock { _ = $0.waiters.removeValue(forKey: load) }
      granted(.failure(.connectionLost(reason: CancellationError(), wasSent: false)))
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
    state.withLock { $0.members[connection] = Member(client: client) }
    let questions = ConnectionQuestions { [weak self] in self?.firstWaiting(for: connection) }
    let transport = connector.connect(to: place, client: client, questions: questions)
    let isWanted = state.withLock { state in
      state.members[connection]?.transport = transport
      return state.members[connection] != nil
    }
    guard isWanted else { return transport.close() }
    // What was ready before the transport was known here.
    grantWaiting(connection)
  }

  private func connected(_ connection: Int) {
    let loads = state.withLock { $0.plan.connected(connection) }
    grant(loads, connection)
  }

  private func ended(_ connection: Int, _ failure: SFTPFailure) {
    let (granted, transport) = state.withLock { state in
      let loads = state.plan.ended(connection)
      let untold = state.granted.removeValue(forKey: connection) ?? []
      let granted = (loads + untold).compactMap { state.waiters.removeValue(forKey: $0)?.granted }
      return (granted, state.members.removeValue(forKey: connection)?.transport)
    }
    transport?.close()
    for grant in granted { grant(.failure(failure)) }
  }

  private func closeIfIdle(_ connection: Int, since: Int) {
    let member = state.withLock { state in
      state.plan.idled(connection, since: since) ? state.members.removeValue(forKey: connection) : nil
    }
    retire(member)
  }

  /// Closes a connection that has no loads, when what they left to be done is done, or takes too long.
  private func retire(_ member: Member?) {
    guard let member, let transport = member.transport else { return }
    guard member.servedCount > 0 else { return transport.close() }
    let client = member.client
    // After what its last load has posted.
    transport.perform { [shutdownTimeout] in
      guard client.isHeld else { return transport.close() }
      client.whenFree { transport.close() }
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

  /// Loads have a connection: they are told when its transport is known.
  private func grant(_ loads: [Int], _ connection: Int) {
    let grants = state.withLock { state -> [(@Sendable (Grant) -> Void, Connection)] in
      guard let member = state.members[connection], let transport = member.transport else {
        state.granted[connection, default: []] += loads
        return []
      }
      return loads.compactMap { load in
        guard let waiter = state.waiters.removeValue(forKey: load) else { return nil }
        defer { state.members[connection]?.servedCount += 1 }
        return (
          waiter.granted,
          Connection(
            server: RemoteServer(client: member.client, perform: { transport.perform($0) }), facts: transport.facts,
            isReused: (state.members[connection]?.servedCount ?? 0) > 0)
        )
      }
    }
    for (granted, connection) in grants { granted(.success(connection)) }
  }

  private func grantWaiting(_ connection: Int) {
    let loads = state.withLock { $0.granted.removeValue(forKey: connection) ?? [] }
    if !loads.isEmpty { grant(loads, connection) }
  }

  // MARK: The session

  func flush() {
    close(state.withLock { state in (state.plan.flush(), state.members) })
  }

  func invalidate() {
    close(state.withLock { state in (state.plan.invalidate(), state.members) })
  }

  private func close(_ idle: ([Int], [Int: Member])) {
    let (connections, members) = idle
    state.withLock { state in
      for connection in connections { state.members[connection] = nil }
    }
    for connection in connections { retire(members[connection]) }
  }
}
