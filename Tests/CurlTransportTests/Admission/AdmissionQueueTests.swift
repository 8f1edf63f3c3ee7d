import Testing
import URLLoadingTestServers

@testable import URLLoadingCurlTransport

/// A queue whose events can be told from within an expectation.
private final class Line {
  private var queue: AdmissionQueue<Int>

  init(connections: Int, streams: Int = 100) {
    queue = AdmissionQueue(connections: connections, streams: streams)
  }

  var isEmpty: Bool { queue.isEmpty }

  func arrived(_ number: Int, at host: Int = 0) -> AdmissionQueue<Int>.Arrival {
    queue.arrived(number, at: ConnectionKey(url: "http://host\(host)/path", proxy: nil))
  }

  /// The place of one who is admitted at once.
  func admitted(_ number: Int, at host: Int = 0) -> AdmissionQueue<Int>.Place? {
    if case .admit(let place) = arrived(number, at: host) { place } else { nil }
  }

  /// The ticket of one who has to wait.
  func waiting(_ number: Int, at host: Int = 0) -> AdmissionQueue<Int>.Ticket? {
    if case .wait(let ticket) = arrived(number, at: host) { ticket } else { nil }
  }

  func left(_ ticket: AdmissionQueue<Int>.Ticket) { queue.left(ticket) }
  func ended(at place: AdmissionQueue<Int>.Place) -> AdmissionQueue<Int>.Action { queue.ended(at: place) }
  func multiplexes(at place: AdmissionQueue<Int>.Place) -> AdmissionQueue<Int>.Action { queue.multiplexes(at: place) }
  func isMultiplexing(at place: AdmissionQueue<Int>.Place) -> Bool { queue.isMultiplexing(at: place) }
  func next() -> (waiter: Int, place: AdmissionQueue<Int>.Place)? { queue.next() }
  func close() -> [Int] { queue.close() }
}

@Suite struct AdmissionQueueTests {
  @Test func asManyAsThereAreConnections() throws {
    let queue = Line(connections: 2)
    let first = try #require(queue.admitted(1))
    _ = try #require(queue.admitted(2))
    #expect(queue.waiting(3) != nil)
    #expect(queue.next() == nil)
    #expect(queue.ended(at: first) == .admitNext)
    let next = try #require(queue.next())
    #expect(next.waiter == 3)
    #expect(queue.next() == nil)
    #expect(queue.isEmpty)
    #expect(queue.ended(at: next.place) == .nothing)
  }

  @Test func twoOfOneHostBesideAnother() throws {
    let queue = Line(connections: 2)
    let first = try #require(queue.admitted(1, at: 1))
    _ = try #require(queue.admitted(2, at: 2))
    let second = try #require(queue.admitted(3, at: 2))
    #expect(second != first)
    #expect(queue.waiting(4, at: 2) != nil)
    // The host stays known when nothing of it is left.
    #expect(queue.ended(at: first) == .nothing)
    #expect(queue.ended(at: second) == .admitNext)
    #expect(queue.next()?.waiter == 4)
  }

  @Test func whoComesWhileOthersWaitDoesNotPassThem() throws {
    let queue = Line(connections: 1)
    let first = try #require(queue.admitted(1))
    #expect(queue.waiting(2) != nil)
    #expect(queue.ended(at: first) == .admitNext)
    // There is room now, but it is the second one's.
    #expect(queue.waiting(3) != nil)
    let second = try #require(queue.next())
    #expect(second.waiter == 2)
    #expect(queue.next() == nil)
    #expect(queue.ended(at: second.place) == .admitNext)
    #expect(queue.next()?.waiter == 3)
  }

  @Test func hostsDoNotWaitForEachOther() throws {
    let queue = Line(connections: 1)
    #expect(queue.admitted(1, at: 1) != nil)
    #expect(queue.waiting(2, at: 1) != nil)
    let other = try #require(queue.admitted(3, at: 2))
    #expect(queue.waiting(4, at: 2) != nil)
    #expect(queue.ended(at: other) == .admitNext)
    #expect(queue.next()?.waiter == 4)
    #expect(queue.next() == nil)
  }

  @Test func whoLeavesTheLineIsNotAdmitted() throws {
    let queue = Line(connections: 1)
    let first = try #require(queue.admitted(0))
    let tickets = try (1...4).map { try #require(queue.waiting($0)) }
    for index in [0, 3, 1] { queue.left(tickets[index]) }
    #expect(queue.ended(at: first) == .admitNext)
    let last = try #require(queue.next())
    #expect(last.waiter == 3)
    #expect(queue.ended(at: last.place) == .nothing)
  }

  @Test func aHostWhoseLastWaiterLeftAdmitsAtOnce() throws {
    let queue = Line(connections: 1)
    let first = try #require(queue.admitted(0))
    let second = try #require(queue.waiting(1))
    #expect(queue.ended(at: first) == .admitNext)
    queue.left(second)
    #expect(queue.next() == nil)
    #expect(queue.admitted(2) != nil)
  }

  @Test func connectionsThatTakeManyAtOnce() throws {
    let queue = Line(connections: 2, streams: 3)
    let first = try #require(queue.admitted(0))
    for number in 1..<10 { _ = queue.arrived(number) }
    #expect(!queue.isMultiplexing(at: first))
    #expect(queue.multiplexes(at: first) == .admitNext)
    #expect(queue.isMultiplexing(at: first))
    #expect(queue.multiplexes(at: first) == .nothing)
    #expect((0..<5).map { _ in queue.next()?.waiter } == [2, 3, 4, 5, nil])
    #expect(queue.ended(at: first) == .admitNext)
    #expect(queue.next()?.waiter == 6)
  }

  @Test func withoutALimitNobodyWaits() {
    let queue = Line(connections: 0)
    for number in 0..<10_000 { #expect(queue.admitted(number) != nil) }
  }

  @Test func hostsThatNobodyNeedsAreForgotten() throws {
    let queue = Line(connections: 1)
    var places: [AdmissionQueue<Int>.Place] = []
    for host in 0..<1000 {
      let place = try #require(queue.admitted(host, at: host))
      #expect(queue.waiting(host, at: host) != nil)
      #expect(queue.ended(at: place) == .admitNext)
      let next = try #require(queue.next())
      #expect(queue.ended(at: next.place) == .nothing)
      if !places.contains(place) { places.append(place) }
    }
    #expect(places.count == 2, "the one that came last, and the one that comes")
  }

  @Test func closingGivesAllWhoWait() {
    let queue = Line(connections: 1)
    for number in 0..<6 { _ = queue.arrived(number, at: number % 2) }
    #expect(queue.close() == [2, 4, 3, 5])
    #expect(queue.isEmpty)
  }

  /// Whatever happens, nobody waits beside room, nobody is passed, and no host gets more than its share.
  @Test func inAnyOrderOfEvents() throws {
    struct Host {
      var running: [AdmissionQueue<Int>.Place] = []
      var waiting: [(number: Int, ticket: AdmissionQueue<Int>.Ticket)] = []
      var limit = 2
    }
    var random = SeededGenerator(seed: 1)
    let queue = Line(connections: 2, streams: 4)
    var hosts = [Host](repeating: Host(), count: 40)
    for number in 0..<30_000 {
      let host = Int.random(in: 0..<hosts.count, using: &random)
      switch Int.random(in: 0..<10, using: &random) {
      case ..<5:
        switch queue.arrived(number, at: host) {
        case .admit(let place):
          // A host that nobody needed may have been forgotten, with what was known of it.
          if hosts[host].running.isEmpty { hosts[host].limit = queue.isMultiplexing(at: place) ? 8 : 2 }
          #expect(hosts[host].waiting.isEmpty && hosts[host].running.count < hosts[host].limit)
          hosts[host].running.append(place)
        case .wait(let ticket): hosts[host].waiting.append((number, ticket))
        }
      case 5..<8:
        guard let index = hosts[host].running.indices.randomElement(using: &random) else { continue }
        let action = queue.ended(at: hosts[host].running.remove(at: index))
        #expect(action == (hosts[host].waiting.isEmpty ? .nothing : .admitNext))
      case 8:
        guard let index = hosts[host].waiting.indices.randomElement(using: &random) else { continue }
        queue.left(hosts[host].waiting.remove(at: index).ticket)
      default:
        guard let place = hosts[host].running.first else { continue }
        let isNews = !queue.isMultiplexing(at: place)
        hosts[host].limit = 8
        #expect(queue.multiplexes(at: place) == (isNews && !hosts[host].waiting.isEmpty ? .admitNext : .nothing))
      }
      if Bool.random(using: &random) {
        while let next = queue.next() {
          let found = try #require(hosts.firstIndex { $0.waiting.first?.number == next.waiter })
          hosts[found].waiting.removeFirst()
          hosts[found].running.append(next.place)
        }
        #expect(hosts.allSatisfy { $0.waiting.isEmpty || $0.running.count == $0.limit })
      }
    }
  }
}
