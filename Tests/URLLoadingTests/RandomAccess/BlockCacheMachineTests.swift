import Testing

@testable import URLLoading

@Suite struct BlockCacheMachineTests {
  private typealias Machine = BlockCacheMachine

  /// A resource of 1,000 blocks of 10 bytes.
  private func machine(
    cached: Int = 16, request: Int = 8, ahead: Int = 4, loads: Int = 3, first: Range<Int> = 0..<0
  ) -> BlockCacheMachine {
    BlockCacheMachine(
      grid: BlockGrid(length: 10_000, blockSize: 10),
      limits: .init(cachedBlocks: cached, requestBlocks: request, readAheadBlocks: ahead, loads: loads), first: first)
  }

  private func bytes(_ blocks: Range<Int>) -> Range<Int64> {
    Int64(blocks.lowerBound * 10)..<Int64(blocks.upperBound * 10)
  }

  @Test func aReadIsOneLoadOfTheBlocksThatCoverIt() {
    var machine = machine()
    let stream = machine.addStream()
    let (want, actions) = machine.begin(25..<51, stream: stream)
    #expect(actions == [.load(1, 2..<6)])
    #expect(machine.take(want) == (.wait, []))
    #expect(machine.arrived(3, of: 1) == [])
    #expect(machine.arrived(1, of: 1) == [.wake(want)])
    #expect(machine.ended(1) == [])
    for block in 2..<6 { #expect(machine.take(want) == (.block(block), [])) }
    #expect(machine.take(want) == (.ended, []))
    // What is there costs nothing.
    #expect(machine.begin(30..<40, stream: stream).actions == [])
  }

  @Test func theFirstBlocksAreAlreadyOnTheirWay() {
    var machine = machine(first: 990..<1000)
    let stream = machine.addStream()
    let (want, actions) = machine.begin(9_950..<9_960, stream: stream)
    #expect(actions == [])
    #expect(machine.take(want) == (.wait, []))
    #expect(machine.arrived(6, of: 0) == [.wake(want)])
    // Nobody needs the rest yet, and it still comes.
    #expect(machine.take(want) == (.block(995), []))
    #expect(machine.loads.count == 1)
    #expect(machine.arrived(9, of: 0) == [])
    #expect(machine.ended(0) == [] && machine.recent.count == 10)
  }

  @Test func twoReadsOfOneBlockWaitForOneLoad() {
    var machine = machine()
    let (one, two) = (machine.addStream(), machine.addStream())
    let (first, actions) = machine.begin(0..<20, stream: one)
    #expect(actions == [.load(1, 0..<2)])
    let (second, none) = machine.begin(10..<20, stream: two)
    #expect(none == [])
    #expect(machine.take(first) == (.wait, []) && machine.take(second) == (.wait, []))
    // The one leaves; the load goes on for the other.
    #expect(machine.cancel(first) == [])
    #expect(machine.arrived(2, of: 1) == [.wake(second)])
    #expect(machine.take(second) == (.block(1), []))
  }

  @Test func onlyGapsAreLoaded() {
    var machine = machine()
    let stream = machine.addStream()
    let (want, _) = machine.begin(bytes(5..<6), stream: stream)
    _ = machine.arrived(1, of: 1)
    _ = machine.ended(1)
    _ = machine.take(want)
    let actions = machine.begin(bytes(3..<8), stream: stream).actions
    #expect(actions == [.load(2, 3..<5), .load(3, 6..<8)])
  }

  @Test func waitingNeighboursAreJoined() {
    var machine = machine(loads: 1)
    let streams = (0..<4).map { _ in machine.addStream() }
    #expect(machine.begin(bytes(100..<101), stream: streams[0]).actions == [.load(1, 100..<101)])
    #expect(machine.begin(bytes(11..<12), stream: streams[1]).actions == [])
    #expect(machine.begin(bytes(12..<14), stream: streams[2]).actions == [])
    #expect(machine.begin(bytes(10..<11), stream: streams[3]).actions == [])
    _ = machine.arrived(1, of: 1)
    #expect(machine.ended(1) == [.load(2, 10..<14)])
    #expect(machine.arrived(4, of: 2) == [])
    #expect(machine.ended(2) == [])
  }

  @Test func aLargeReadIsLoadedPieceByPieceInBoundedMemory() {
    var machine = machine(cached: 16, request: 8)
    let stream = machine.addStream()
    var (want, actions) = machine.begin(0..<10_000, stream: stream)
    var next = 0
    var most = 0
    var loads = 0
    while next < 1000 {
      var arrived: [Machine.Action] = []
      for case .load(let id, let blocks) in actions {
        loads += 1
        #expect(blocks.count <= 8)
        arrived += machine.arrived(blocks.count, of: id) + machine.ended(id)
      }
      most = max(most, machine.recent.count)
      let (take, more) = machine.take(want)
      actions = arrived.filter { if case .load = $0 { true } else { false } } + more
      guard case .block(let block) = take else {
        guard take == .wait, !actions.isEmpty else {
          Issue.record("stuck at \(next): \(take)")
          return
        }
        continue
      }
      #expect(block == next)
      next += 1
    }
    #expect(most <= 16)
    #expect(loads == 125)
    want = 0
  }

  // MARK: Reading ahead

  /// Reads blocks one by one, and gives what each read had loaded.
  private func readOneByOne(_ blocks: [Int], _ machine: inout Machine, _ stream: Int) -> [[Range<Int>]] {
    blocks.map { block in
      let (want, actions) = machine.begin(bytes(block..<block + 1), stream: stream)
      var ranges: [Range<Int>] = []
      for case .load(let id, let blocks) in actions {
        ranges.append(blocks)
        _ = machine.arrived(blocks.count, of: id)
        _ = machine.ended(id)
      }
      #expect(machine.take(want).0 == .block(block))
      return ranges
    }
  }

  @Test func sequentialReadsAreReadAheadMoreAndMore() {
    var machine = machine(cached: 64, request: 32, ahead: 8)
    let stream = machine.addStream()
    let ranges = readOneByOne(Array(0..<30), &machine, stream)
    #expect(ranges[0] == [0..<1])
    #expect(ranges[1] == [1..<3])
    let all = ranges.flatMap { $0 }
    #expect(all.map(\.count).max() ?? 0 <= 9)
    // Each block once, and never more ahead than the limit.
    #expect(all.flatMap { Array($0) } == Array(0..<(all.last?.upperBound ?? 0)))
    for (read, ranges) in ranges.enumerated() { for range in ranges { #expect(range.upperBound <= read + 1 + 8) } }
    #expect(all.count < 12)
  }

  @Test func randomReadsCostWhatTheyAskFor() {
    var machine = machine(cached: 64, request: 32, ahead: 8)
    let stream = machine.addStream()
    let blocks = [5, 3, 900, 899, 901, 10, 12, 14]
    #expect(readOneByOne(blocks, &machine, stream) == blocks.map { [$0..<$0 + 1] })
  }

  @Test func aReaderThatJumpsGivesUpWhatWasReadAhead() {
    var machine = machine(cached: 64, request: 32, ahead: 8)
    let stream = machine.addStream()
    _ = readOneByOne([0, 1, 2, 3], &machine, stream)
    let (want, actions) = machine.begin(bytes(4..<5), stream: stream)
    guard case .load(let id, _)? = actions.first else { return #expect(Bool(false), "\(actions)") }
    #expect(machine.take(want).0 == .block(4))
    #expect(machine.begin(bytes(500..<501), stream: stream).actions.first == .cancelLoad(id))
  }

  @Test func aReaderThatGoesGivesUpWhatWasReadAhead() {
    var machine = machine(cached: 64, request: 32, ahead: 8)
    let stream = machine.addStream()
    _ = readOneByOne([0, 1, 2, 3], &machine, stream)
    let (want, actions) = machine.begin(bytes(4..<5), stream: stream)
    guard case .load(let id, _)? = actions.first else { return #expect(Bool(false), "\(actions)") }
    _ = machine.take(want)
    #expect(machine.removeStream(stream) == [.cancelLoad(id)])
    #expect(machine.loads.isEmpty)
  }

  // MARK: Failures and cancelling

  @Test func aLoadThatNobodyWaitsForIsCancelled() {
    var machine = machine(loads: 1)
    let stream = machine.addStream()
    let (want, _) = machine.begin(0..<50, stream: stream)
    let (other, none) = machine.begin(500..<510, stream: machine.addStream())
    #expect(none == [])
    // And the next one gets its turn.
    #expect(machine.cancel(want) == [.cancelLoad(1), .load(2, 50..<51)])
    #expect(machine.cancel(want) == [])
    #expect(machine.arrived(1, of: 1) == [] && machine.ended(1) == [] && machine.failed(1) == [])
    _ = machine.take(other)
    #expect(machine.arrived(1, of: 2) == [.wake(other)])
  }

  @Test func aFailureEndsThoseWhoNeedTheRest() {
    var machine = machine()
    let streams = (0..<3).map { _ in machine.addStream() }
    let (first, _) = machine.begin(bytes(0..<4), stream: streams[0])
    let (second, _) = machine.begin(bytes(3..<6), stream: streams[1])
    let (third, _) = machine.begin(bytes(1..<2), stream: streams[2])
    #expect(machine.arrived(2, of: 1) == [])
    #expect(machine.failed(1) == [.fail(first), .fail(second), .cancelLoad(2)])
    #expect(machine.take(first) == (.ended, []))
    #expect(machine.take(third) == (.block(1), []))
    // What failed is asked for again.
    #expect(machine.begin(bytes(2..<3), stream: streams[0]).actions == [.load(3, 2..<3)])
  }

  @Test func abandoningEndsEverything() {
    var machine = machine(first: 0..<2)
    _ = machine.arrived(1, of: 0)
    let (want, _) = machine.begin(bytes(5..<6), stream: machine.addStream())
    #expect(machine.abandonAll() == [.cancelLoad(0), .cancelLoad(1), .fail(want), .drop(0)])
    #expect(machine.arrived(1, of: 1) == [] && machine.recent.count == 0)
  }

  @Test func whatWasUsedLeastRecentlyGoes() {
    var machine = machine(cached: 3, request: 1, ahead: 0)
    let stream = machine.addStream()
    _ = readOneByOne([1, 2, 3, 1], &machine, stream)
    let (_, actions) = machine.begin(bytes(9..<10), stream: stream)
    #expect(actions == [.load(4, 9..<10)])
    #expect(machine.arrived(1, of: 4) == [.drop(2)])
  }
}

private func == (
  one: (BlockCacheMachine.Take, [BlockCacheMachine.Action]), other: (BlockCacheMachine.Take, [BlockCacheMachine.Action])
) -> Bool {
  one.0 == other.0 && one.1 == other.1
}
