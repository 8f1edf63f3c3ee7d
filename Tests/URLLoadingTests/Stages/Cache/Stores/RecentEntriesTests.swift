import Testing
import URLLoadingTestServers

@testable import URLLoading

@Suite struct RecentEntriesTests {
  private func entries(_ costs: [(String, Int)], limit: Int) -> RecentEntries<String, Int> {
    var entries = RecentEntries<String, Int>(limit: limit)
    for (key, cost) in costs { _ = entries.store(cost, for: key, cost: cost) }
    return entries
  }

  @Test func theLeastRecentlyUsedGoesFirst() {
    var entries = entries([("a", 1), ("b", 2), ("c", 3)], limit: 6)
    #expect(entries.use("a") == 1)
    #expect(entries.store(4, for: "d", cost: 4) == [2, 3])
    #expect(entries.use("b") == nil && entries.use("c") == nil && entries.use("a") == 1 && entries.use("d") == 4)
    #expect(entries.cost == 5 && entries.count == 2)
  }

  @Test func whatIsReplacedGoes() {
    var entries = entries([("a", 1), ("b", 2)], limit: 3)
    #expect(entries.store(7, for: "a", cost: 1) == [1])
    #expect(entries.use("a") == 7 && entries.use("b") == 2 && entries.cost == 3)
  }

  @Test func whatIsLargerThanAllIsNotStored() {
    var entries = entries([("a", 1), ("b", 2)], limit: 3)
    #expect(entries.store(9, for: "a", cost: 4) == [1])
    #expect(entries.use("a") == nil && entries.use("b") == 2 && entries.cost == 2)
    #expect(entries.store(9, for: "c", cost: Int.max) == [])
    #expect(entries.use("b") == 2)
  }

  @Test func aLowerLimitEvicts() {
    var entries = entries([("a", 1), ("b", 2), ("c", 3)], limit: 6)
    #expect(entries.setLimit(3) == [1, 2])
    #expect(entries.limit == 3 && entries.count == 1)
    #expect(entries.setLimit(-5) == [3])
    #expect(entries.limit == 0 && entries.cost == 0)
    #expect(entries.store(0, for: "free", cost: 0) == [])
    #expect(entries.use("free") == 0)
  }

  @Test func removal() {
    var entries = entries([("a", 1), ("b", 2), ("c", 3)], limit: 6)
    #expect(entries.remove("b") == 2 && entries.remove("b") == nil)
    #expect(entries.removeAll { $0 == 3 } == [3])
    #expect(entries.count == 1 && entries.use("a") == 1)
    #expect(entries.removeAll() == [1])
    #expect(entries.cost == 0 && entries.store(5, for: "e", cost: 5) == [] && entries.use("e") == 5)
  }

  /// Beside a list that is searched.
  @Test(arguments: 1...20) func doesWhatAListWouldDo(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var entries = RecentEntries<Int, Int>(limit: 40)
    var list: [(key: Int, cost: Int)] = []
    var limit = 40
    for step in 0..<400 {
      let key = Int(random.next() % 12)
      switch random.next() % 10 {
      case 0:
        _ = entries.remove(key)
        list.removeAll { $0.key == key }
      case 1:
        limit = Int(random.next() % 60)
        _ = entries.setLimit(limit)
      case 2...5:
        let isThere = list.firstIndex { $0.key == key }
        #expect((entries.use(key) != nil) == (isThere != nil), "step \(step)")
        if let isThere { list.append(list.remove(at: isThere)) }
      default:
        let cost = Int(random.next() % 20)
        _ = entries.store(cost, for: key, cost: cost)
        list.removeAll { $0.key == key }
        if cost <= limit { list.append((key, cost)) }
      }
      while list.reduce(0, { $0 + $1.cost }) > limit { list.removeFirst() }
      #expect(entries.cost == list.reduce(0) { $0 + $1.cost } && entries.count == list.count, "step \(step)")
    }
  }
}
