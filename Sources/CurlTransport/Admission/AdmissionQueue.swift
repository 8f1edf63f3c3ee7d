/// Decides which transfers libcurl is given, and in which order: a value that is fed events. No I/O inside.
///
/// Each transfer that libcurl has costs an easy handle, and libcurl walks the list of those that found no connection. So it
/// is given no more transfers of a host than can be on the host's connections at once; the rest wait here in FIFO order, and hosts
/// do not block each other. Every event takes constant time.
struct AdmissionQueue<Waiter> {
  /// The state of a host with admitted transfers.
  struct Place: Equatable {
    fileprivate var host: Int
  }

  /// Represents a waiting transfer.
  struct Ticket: Equatable {
    fileprivate var host: Int
    fileprivate var position: WaitingLines<Waiter>.Position
  }

  enum Arrival: Equatable {
    /// libcurl gets the transfer now. `ended(at:)` gives the place back.
    case admit(Place)
    /// It waits until `next()` brings it, unless `left(_:)` comes before.
    case wait(Ticket)
  }

  enum Action: Equatable {
    case nothing
    /// `next()` may have a transfer.
    case admitNext
  }

  private struct Host {
    var name: String
    var multiplexes = false
    var admitted = 0
    var line = WaitingLines<Waiter>.Line()
    /// It is in `ready`.
    var isReady = false
  }

  /// How many may be admitted of a host with one transfer at a time on a connection, and of others.
  private let limit: Int
  private let multiplexedLimit: Int
  /// Whether all connections take many, which needs not be found out.
  private let multiplexes: Bool
  private var hosts: [Host] = []
  private var vacant: [Int] = []
  /// Where in `hosts` each is; `latest` may be missing.
  private var numbers: [String: Int] = [:]
  /// The host that came last, which is as a rule the one that comes next. It is kept when nothing of it is left.
  private var latest = 0
  private var waiting = WaitingLines<Waiter>()
  /// Hosts that may have room for waiting transfers.
  private var ready: [Int] = []

  /// - Parameters:
  ///   - connections: How many connections there may be to a host; 0 for no limit.
  ///   - streams: How many transfers may share one, where the protocol lets them.
  ///   - multiplexes: Whether it is known to.
  init(connections: Int, streams: Int, multiplexes: Bool = false) {
    self.multiplexes = multiplexes
    limit = connections > 0 ? connections : .max
    multiplexedLimit = limit > Int.max / streams ? .max : limit * streams
  }

  var isEmpty: Bool { waiting.isEmpty }

  // MARK: Events

  /// A transfer came.
  /// - Parameter key: The same for all that can share connections.
  mutating func arrived(_ waiter: Waiter, at key: ConnectionKey) -> Arrival {
    let host = number(of: key)
    guard hosts[host].line.isEmpty, hosts[host].admitted < limit(of: host) else {
      return .wait(Ticket(host: host, position: waiting.append(waiter, to: &hosts[host].line)))
    }
    hosts[host].admitted += 1
    return .admit(Place(host: host))
  }

  /// Removes a waiting transfer.
  mutating func left(_ ticket: Ticket) {
    waiting.remove(ticket.position, from: &hosts[ticket.host].line)
    forgetIfUnused(ticket.host)
  }

  /// An admitted transfer has found out that its connection takes many at once.
  mutating func multiplexes(at place: Place) -> Action {
    guard !hosts[place.host].multiplexes else { return .nothing }
    hosts[place.host].multiplexes = true
    return lookAt(place.host)
  }

  /// An admitted transfer is over.
  mutating func ended(at place: Place) -> Action {
    hosts[place.host].admitted -= 1
    return lookAt(place.host)
  }

  /// The next transfer that libcurl gets now; nil when none can be admitted.
  mutating func next() -> (waiter: Waiter, place: Place)? {
    while let host = ready.popLast() {
      hosts[host].isReady = false
      if hosts[host].admitted < limit(of: host), let waiter = waiting.popFirst(of: &hosts[host].line) {
        hosts[host].admitted += 1
        _ = lookAt(host)
        return (waiter, Place(host: host))
      }
      forgetIfUnused(host)
    }
    return nil
  }

  /// No transfer will be admitted any more.
  /// - Returns: all that waited, those of a host in order.
  mutating func close() -> [Waiter] {
    var all: [Waiter] = []
    for host in hosts.indices {
      while let waiter = waiting.popFirst(of: &hosts[host].line) { all.append(waiter) }
    }
    return all
  }

  /// Whether a host is known to take many transfers on one connection.
  func isMultiplexing(at place: Place) -> Bool { hosts[place.host].multiplexes }

  // MARK: Hosts

  private func limit(of host: Int) -> Int { hosts[host].multiplexes ? multiplexedLimit : limit }

  private mutating func lookAt(_ host: Int) -> Action {
    guard !hosts[host].line.isEmpty else {
      forgetIfUnused(host)
      return .nothing
    }
    if !hosts[host].isReady {
      hosts[host].isReady = true
      ready.append(host)
    }
    return .admitNext
  }

  private mutating func number(of key: ConnectionKey) -> Int {
    if latest < hosts.count, key.hasName(hosts[latest].name) { return latest }
    let name = key.name
    let previous = latest
    if previous < hosts.count { numbers[hosts[previous].name] = previous }
    if let known = numbers[name] {
      latest = known
    } else {
      latest = vacant.popLast() ?? hosts.count
      let host = Host(name: name, multiplexes: multiplexes)
      if latest == hosts.count { hosts.append(host) } else { hosts[latest] = host }
    }
    if previous != latest { forgetIfUnused(previous) }
    return latest
  }

  private mutating func forgetIfUnused(_ host: Int) {
    guard host != latest, hosts[host].admitted == 0, hosts[host].line.isEmpty, !hosts[host].isReady else { return }
    numbers[hosts[host].name] = nil
    vacant.append(host)
  }
}
