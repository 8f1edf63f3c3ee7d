import Testing
import URLLoadingTestServers

@testable import SFTPProtocol

@Suite struct ConnectionPlanTests {
  @Test func loadsShareAConnection() {
    var plan = ConnectionPlan<String>(largestConnectionCount: 6)
    #expect(plan.acquire(1, "a") == .connect(0))
    #expect(plan.acquire(2, "a") == .wait)
    #expect(plan.acquire(3, "b") == .connect(1))
    #expect(plan.waitingLoads(for: 0) == [1, 2])
    #expect(plan.connected(0) == [1, 2])
    #expect(plan.acquire(4, "a") == .use(0))
    #expect(plan.waitingLoads(for: 1) == [3])
  }

  @Test func manyLoadsGetMoreConnectionsUpToTheLimit() {
    var plan = ConnectionPlan<String>(largestConnectionCount: 2, sharedLoadCount: 2)
    #expect(plan.acquire(1, "a") == .connect(0))
    _ = plan.connected(0)
    #expect(plan.acquire(2, "a") == .use(0))
    #expect(plan.acquire(3, "a") == .connect(1))
    // While another one is made, nobody waits who need not.
    #expect(plan.acquire(4, "a") == .use(0))
    #expect(plan.connected(1) == [3])
    #expect(plan.acquire(5, "a") == .use(1))
    #expect(plan.acquire(6, "a") == .use(1))
    #expect(plan.acquire(7, "a") == .use(0))
    #expect(plan.connectionIDs == [0, 1])
  }

  @Test func idleConnectionsAreClosedUnlessUsedAgain() throws {
    var plan = ConnectionPlan<String>(largestConnectionCount: 1)
    _ = plan.acquire(1, "a")
    _ = plan.connected(0)
    guard case .idle(let first)? = plan.release(1)?.1 else {
      Issue.record("not idle")
      return
    }
    #expect(plan.acquire(2, "a") == .use(0))
    #expect(plan.idled(0, since: first) == false)
    guard case .idle(let second)? = plan.release(2)?.1 else {
      Issue.record("not idle")
      return
    }
    #expect(plan.idled(0, since: first) == false)
    #expect(plan.idled(0, since: second) == true)
    #expect(plan.idled(0, since: second) == false)
    #expect(plan.acquire(3, "a") == .connect(1))
  }

  @Test func whatNobodyWaitsForIsNotMade() throws {
    var plan = ConnectionPlan<String>(largestConnectionCount: 1)
    _ = plan.acquire(1, "a")
    _ = plan.acquire(2, "a")
    #expect(plan.release(1) == nil)
    let released = plan.release(2)
    let (connection, action) = try #require(released)
    #expect(connection == 0 && action == .close)
    #expect(plan.connected(0) == [])
    #expect(plan.release(2) == nil)
    #expect(plan.acquire(3, "a") == .connect(1))
  }

  @Test func aConnectionThatFailsFailsWhoWaitedForIt() {
    var plan = ConnectionPlan<String>(largestConnectionCount: 1)
    _ = plan.acquire(1, "a")
    _ = plan.acquire(2, "a")
    #expect(plan.ended(0) == [1, 2])
    #expect(plan.ended(0) == [])
    #expect(plan.acquire(1, "a") == .connect(1))
    #expect(plan.connected(1) == [1])
    #expect(plan.ended(1) == [])
    #expect(plan.acquire(1, "a") == .connect(2))
  }

  @Test func afterAFlushLoadsGetNewConnections() throws {
    var plan = ConnectionPlan<String>(largestConnectionCount: 1)
    _ = plan.acquire(1, "a")
    _ = plan.connected(0)
    _ = plan.acquire(2, "b")
    _ = plan.connected(1)
    _ = plan.release(2)
    #expect(plan.flush() == [1])
    #expect(plan.acquire(3, "a") == .connect(2))
    let released = plan.release(1)
    let (connection, action) = try #require(released)
    #expect(connection == 0 && action == .close)
  }

  @Test func afterTheEndNothingIsMade() {
    var plan = ConnectionPlan<String>(largestConnectionCount: 1)
    _ = plan.acquire(1, "a")
    _ = plan.connected(0)
    #expect(plan.invalidate() == [])
    #expect(plan.acquire(2, "a") == .refuse)
    #expect(plan.release(1)?.1 == .close)
  }

  @Test(arguments: [1, 2, 3, 4])
  func everyLoadIsServedOnceInWhateverOrder(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<200 {
      var plan = ConnectionPlan<Int>(
        largestConnectionCount: Int.random(in: 1...3, using: &generator),
        sharedLoadCount: Int.random(in: 1...4, using: &generator))
      var connecting: Set<Int> = []
      var ready: Set<Int> = []
      var waiting: Set<Int> = []
      var served: Set<Int> = []
      for load in 0..<150 {
        switch Int.random(in: 0..<6, using: &generator) {
        case 0, 1, 2:
          switch plan.acquire(load, Int.random(in: 0...1, using: &generator)) {
          case .use(let connection):
            #expect(ready.contains(connection))
            served.insert(load)
          case .connect(let connection):
            #expect(connecting.insert(connection).inserted)
            waiting.insert(load)
          case .wait: waiting.insert(load)
          case .refuse: Issue.record("refused")
          }
        case 3:
          guard let connection = connecting.randomElement(using: &generator) else { break }
          connecting.remove(connection)
          let loads = Bool.random(using: &generator) ? plan.connected(connection) : plan.ended(connection)
          if plan.connectionIDs.contains(connection) {
            ready.insert(connection)
            served.formUnion(loads)
          }
          #expect(waiting.isSuperset(of: loads))
          waiting.subtract(loads)
        case 4:
          guard let connection = ready.randomElement(using: &generator) else { break }
          ready.remove(connection)
          #expect(plan.ended(connection) == [])
        default:
          guard let load = waiting.union(served).randomElement(using: &generator) else { break }
          waiting.remove(load)
          served.remove(load)
          if let (connection, action) = plan.release(load), action == .close { connecting.remove(connection) }
        }
        #expect(Set(plan.connectionIDs) == connecting.union(ready))
      }
      // Whoever waits has something to wait for.
      let awaited = plan.connectionIDs.flatMap { connecting.contains($0) ? plan.waitingLoads(for: $0) : [] }
      #expect(Set(awaited) == waiting)
    }
  }
}
