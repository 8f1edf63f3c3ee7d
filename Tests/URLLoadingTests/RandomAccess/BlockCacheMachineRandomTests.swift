import Testing
import URLLoadingTestServers

@testable import URLLoading

/// Readers, loads, failures and cancellations in random order: everybody gets his blocks in their order, memory stays bounded,
/// and nothing is loaded twice at a time.
@Suite struct BlockCacheMachineRandomTests {
  private struct World {
    var machine: BlockCacheMachine
    var random: SeededGenerator
    /// What is on its way, by load.
    var running: [Int: Range<Int>] = [:]
    var blocks: Set<Int> = []
    /// Wants, and the blocks that each still has to take.
    var wants: [Int: Range<Int>] = [:]
    var sleeping: Set<Int> = []
    var streams: [Int] = []
    var failures: [String] = []

    mutating func carryOut(_ actions: [BlockCacheMachine.Action]) {
      for action in actions {
        switch action {
        case .load(let id, let range):
          let twice = range.contains { block in
            blocks.contains(block) || running.values.contains { $0.contains(block) }
          }
          if twice { failures.append("\(range) is asked for again") }
          if range.count > machine.limits.requestBlocks { failures.append("\(range) is too long") }
          running[id] = range
          if running.count > machine.limits.loads { failures.append("too many loads") }
        case .cancelLoad(let id):
          if running.removeValue(forKey: id) == nil { failures.append("cancelled load \(id), which does not run") }
        case .drop(let block):
          if blocks.remove(block) == nil { failures.append("dropped \(block), which is not there") }
        case .wake(let want): if sleeping.remove(want) == nil { failures.append("woke \(want), which did not wait") }
        case .fail(let want):
          sleeping.remove(want)
          wants[want] = nil
        }
      }
      if blocks.count > machine.limits.cachedBlocks + wants.count + 1 {
        failures.append("\(blocks.count) blocks with \(wants.count) wants")
      }
    }

    mutating func begin() {
      guard let stream = streams.randomElement(using: &random) else { return }
      let count = machine.grid.count
      let start: Int
      if let next = machine.streams[stream]?.next, Bool.random(using: &random) {
        start = min(Int(next), count - 1)
      } else {
        start = Int.random(in: 0..<count, using: &random)
      }
      let length = Bool.random(using: &random) ? 1 : Int.random(in: 1...(count - start), using: &random)
      let (want, actions) = machine.begin(Int64(start)..<Int64(start + length), stream: stream)
      wants[want] = start..<start + length
      carryOut(actions)
    }

    mutating func take() {
      guard let want = wants.keys.filter({ !sleeping.contains($0) }).sorted().randomElement(using: &random),
        let left = wants[want]
      else { return }
      let (take, actions) = machine.take(want)
      switch take {
      case .wait: sleeping.insert(want)
      case .ended: failures.append("want \(want) ended early")
      case .block(let block):
        if block != left.lowerBound || !blocks.contains(block) {
          failures.append("want \(want) got \(block) for \(left)")
        }
        let rest = left.lowerBound + 1..<left.upperBound
        wants[want] = rest.isEmpty ? nil : rest
      }
      carryOut(actions)
    }

    mutating func arrive() {
      guard let id = running.keys.sorted().randomElement(using: &random), let range = running[id] else { return }
      let count = Int.random(in: 1...max(1, range.count), using: &random)
      let come = range.prefix(count)
      blocks.formUnion(come)
      running[id] = come.upperBound..<range.upperBound
      carryOut(machine.arrived(come.count, of: id))
      guard running[id]?.isEmpty == true else { return }
      running[id] = nil
      carryOut(machine.ended(id))
    }

    mutating func fail() {
      guard let id = running.keys.sorted().randomElement(using: &random) else { return }
      running[id] = nil
      carryOut(machine.failed(id))
    }

    mutating func cancel() {
      guard let want = wants.keys.sorted().randomElement(using: &random) else { return }
      wants[want] = nil
      sleeping.remove(want)
      carryOut(machine.cancel(want))
    }
  }

  @Test(arguments: 0..<120) func everybodyGetsHisBlocks(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let cached = Int.random(in: 2...20, using: &random)
    let request = Int.random(in: 1...max(1, cached / 2), using: &random)
    let limits = BlockCacheMachine.Limits(
      cachedBlocks: cached, requestBlocks: request, readAheadBlocks: Int.random(in: 0...request, using: &random),
      loads: Int.random(in: 1...4, using: &random))
    let machine = BlockCacheMachine(grid: BlockGrid(length: 60, blockSize: 1), limits: limits)
    var world = World(machine: machine, random: random)
    for _ in 0..<4 { world.streams.append(world.machine.addStream()) }
    for _ in 0..<3000 where world.failures.isEmpty {
      switch Int.random(in: 0..<20, using: &world.random) {
      case 0...3: if world.wants.count < 8 { world.begin() }
      case 4...11: world.take()
      case 12...17: world.arrive()
      case 18: world.cancel()
      default: world.fail()
      }
    }
    // Nobody comes any more: all get what they wait for.
    var steps = 0
    while world.failures.isEmpty, !world.wants.isEmpty, steps < 20_000 {
      steps += 1
      world.take()
      if world.running.isEmpty, !world.wants.isEmpty, world.sleeping.count == world.wants.count {
        world.failures.append("all wait for nothing")
      }
      world.arrive()
    }
    #expect(world.failures == [], "seed \(seed), \(limits)")
    #expect(world.wants.isEmpty)
    for stream in world.streams { world.carryOut(world.machine.removeStream(stream)) }
    #expect(world.running.isEmpty, "loads go on for nobody")
  }
}
