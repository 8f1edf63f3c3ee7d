/// Decides which connection serves which load. A value that does no I/O; connections and loads are numbers here.
///
/// Loads to one place share a connection until it has ``sharedLoadCount``; then another is made, up to a limit. A connection without loads
/// is closed after an idle time.
struct ConnectionPlan<Place: Hashable & Sendable>: Sendable {
  typealias ConnectionID = Int
  typealias LoadID = Int

  enum AcquireAction: Hashable {
    /// The load uses this connection.
    case use(ConnectionID)
    /// The load waits for this connection, which has to be made.
    case connect(ConnectionID)
    /// The load waits for a connection that is being made.
    case wait
    /// The session is invalid.
    case refuse
  }

  enum ReleaseAction: Hashable {
    case nothing
    /// The connection has no loads; call ``idled(_:since:)`` with this number after the idle time.
    case idle(since: Int)
    case close
  }

  private enum Phase: Hashable {
    case connecting
    case ready
    /// Takes no more loads.
    case draining
  }

  private struct Connection {
    let place: Place
    var phase = Phase.connecting
    var loads: Set<LoadID> = []
    /// Grows with every change, to tell idle times apart.
    var generation = 0
  }

  /// Loads of a connection before another one is made.
  let sharedLoadCount: Int
  private let largestConnectionCount: Int
  private var connections: [ConnectionID: Connection] = [:]
  /// Loads without a connection, in order.
  private var waiting: [(load: LoadID, place: Place)] = []
  private var nextConnection = 0
  private var isInvalid = false

  /// - Parameter largestConnectionCount: for each place.
  init(largestConnectionCount: Int, sharedLoadCount: Int = 512) {
    self.largestConnectionCount = max(1, largestConnectionCount)
    self.sharedLoadCount = max(1, sharedLoadCount)
  }

  var connectionIDs: [ConnectionID] { connections.keys.sorted() }

  /// Loads that wait for a connection, in order.
  func waitingLoads(for connection: ConnectionID) -> [LoadID] {
    guard let place = connections[connection]?.place else { return [] }
    return waiting.filter { $0.place == place }.map(\.load)
  }

  private mutating func takeWaiting(for place: Place) -> [LoadID] {
    defer { waiting.removeAll { $0.place == place } }
    return waiting.filter { $0.place == place }.map(\.load)
  }

  // MARK: Loads

  mutating func acquire(_ load: LoadID, _ place: Place) -> AcquireAction {
    guard !isInvalid else { return .refuse }
    let (best, mayConnect) = choices(for: place)
    if let best, best.loadCount < sharedLoadCount || !mayConnect {
      use(best.connection, load)
      return .use(best.connection)
    }
    waiting.append((load, place))
    return mayConnect ? .connect(connect(place)) : .wait
  }

  /// The ready connection with the fewest loads, and whether another one may be made. Without its set of loads, which a second owner would
  /// make the next change copy.
  private func choices(for place: Place) -> (best: (connection: ConnectionID, loadCount: Int)?, mayConnect: Bool) {
    let there = connections.filter { $0.value.place == place && $0.value.phase != .draining }
    let best = there.filter { $0.value.phase == .ready }
      .min { ($0.value.loads.count, $0.key) < ($1.value.loads.count, $1.key) }
    let isConnecting = there.contains { $0.value.phase == .connecting }
    return (best.map { ($0.key, $0.value.loads.count) }, !isConnecting && there.count < largestConnectionCount)
  }

  /// A load has ended, or does not wait any more.
  /// - Returns: what to do with a connection.
  mutating func release(_ load: LoadID) -> (ConnectionID, ReleaseAction)? {
    if let index = waiting.firstIndex(where: { $0.load == load }) {
      let place = waiting.remove(at: index).place
      guard !waiting.contains(where: { $0.place == place }),
        let connection = connections.first(where: { $0.value.place == place && $0.value.phase == .connecting })?.key
      else { return nil }
      // The connection is not wanted any more.
      connections[connection] = nil
      return (connection, .close)
    }
    guard let connection = connections.first(where: { $0.value.loads.contains(load) })?.key else { return nil }
    return (connection, finish(connection, load))
  }

  // MARK: Connections

  /// - Returns: the loads that have the connection now.
  mutating func connected(_ connection: ConnectionID) -> [LoadID] {
    guard let place = connections[connection]?.place, connections[connection]?.phase == .connecting else { return [] }
    connections[connection]?.phase = .ready
    let loads = takeWaiting(for: place)
    for load in loads { use(connection, load) }
    return loads
  }

  /// A connection has ended. Its loads learn that from their requests.
  /// - Returns: the loads that waited for it, which have failed.
  mutating func ended(_ connection: ConnectionID) -> [LoadID] {
    guard let gone = connections.removeValue(forKey: connection), gone.phase == .connecting else { return [] }
    return takeWaiting(for: gone.place)
  }

  /// An idle time has passed.
  /// - Returns: whether to close the connection.
  mutating func idled(_ connection: ConnectionID, since generation: Int) -> Bool {
    guard let known = connections[connection], known.generation == generation, known.loads.isEmpty else { return false }
    connections[connection] = nil
    return true
  }

  /// Later loads get new connections.
  /// - Returns: connections to close.
  mutating func flush() -> [ConnectionID] {
    var closed: [ConnectionID] = []
    for (number, connection) in connections where connection.phase == .ready {
      if connection.loads.isEmpty {
        connections[number] = nil
        closed.append(number)
      } else {
        connections[number]?.phase = .draining
      }
    }
    return closed.sorted()
  }

  /// Refuses later loads.
  /// - Returns: connections to close; those with loads are closed after the last one.
  mutating func invalidate() -> [ConnectionID] {
    isInvalid = true
    return flush()
  }

  private mutating func connect(_ place: Place) -> ConnectionID {
    defer { nextConnection += 1 }
    connections[nextConnection] = Connection(place: place)
    return nextConnection
  }

  private mutating func use(_ connection: ConnectionID, _ load: LoadID) {
    connections[connection]?.loads.insert(load)
    connections[connection]?.generation += 1
  }

  private mutating func finish(_ connection: ConnectionID, _ load: LoadID) -> ReleaseAction {
    connections[connection]?.loads.remove(load)
    connections[connection]?.generation += 1
    guard let known = connections[connection], known.loads.isEmpty else { return .nothing }
    guard known.phase != .draining else {
      connections[connection] = nil
      return .close
    }
    return .idle(since: known.generation)
  }
}
