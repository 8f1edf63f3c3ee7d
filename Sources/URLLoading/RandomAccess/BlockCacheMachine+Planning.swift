/// What is loaded, and when.
extension BlockCacheMachine {
  /// The blocks that a want may claim at a time: a load, and the beginning of the next one.
  private var claimLimit: Int { limits.requestBlocks + limits.requestBlocks / 2 }

  /// Blocks for which a waiting want is resumed together.
  private static let wakeBatch = 8

  private func isMissing(_ block: Int) -> Bool {
    !recent.contains(block) && !loads.contains { $0.remaining.contains(block) }
  }

  /// Claims cached and loading blocks, and loads missing ones.
  mutating func plan(_ id: Int, _ actions: inout [Action]) {
    while var want = wants[id] {
      let claimable = min(want.end, want.cursor + claimLimit)
      while want.frontier < claimable, !isMissing(want.frontier) { want.frontier += 1 }
      wants[id] = want
      if want.frontier == want.end { return readAhead(want, &actions) }
      // The next load begins when half of the last one is taken.
      guard want.frontier < claimable, want.frontier - want.cursor <= limits.requestBlocks / 2,
        request(for: id, want, &actions)
      else { return }
    }
  }

  /// Plans the wants that waited for a load to end.
  mutating func planQueue(_ actions: inout [Action]) {
    let waiting = queue
    queue = []
    for id in waiting { plan(id, &actions) }
  }

  // MARK: Asking

  /// Loads the missing blocks at a want's frontier, with missing neighbours that other wants need.
  private mutating func request(for id: Int, _ want: Want, _ actions: inout [Action]) -> Bool {
    guard loads.count < limits.loads else {
      if !queue.contains(id) { queue.append(id) }
      return false
    }
    let room = limits.cachedBlocks - claimedCount
    guard room > 0 || want.frontier == want.cursor else { return false }
    let most = max(1, min(limits.requestBlocks, room))
    let window = want.isSequential ? nextWindow(of: want.stream) : 0
    var range = want.frontier..<want.frontier + 1
    var wantedEnd = range.upperBound
    while range.count < most, range.upperBound < grid.count, isMissing(range.upperBound) {
      let block = range.upperBound
      if block < want.end || isWanted(block) {
        wantedEnd = block + 1
      } else if block >= want.end + window {
        break
      }
      range = range.lowerBound..<block + 1
    }
    while range.count < most, range.lowerBound > 0, isWanted(range.lowerBound - 1), isMissing(range.lowerBound - 1) {
      range = range.lowerBound - 1..<range.upperBound
    }
    let isAhead = range.upperBound > wantedEnd
    if isAhead { streams[want.stream]?.window = window }
    begin(range, wantedEnd: wantedEnd, stream: isAhead ? want.stream : nil, &actions)
    return true
  }

  private mutating func begin(_ blocks: Range<Int>, wantedEnd: Int, stream: Int?, _ actions: inout [Action]) {
    lastLoad += 1
    loads.append(
      Load(id: lastLoad, end: blocks.upperBound, next: blocks.lowerBound, wantedEnd: wantedEnd, stream: stream))
    actions.append(.load(lastLoad, blocks))
  }

  /// Whether a want is about to take a block.
  private func isWanted(_ block: Int) -> Bool {
    wants.values.contains { $0.cursor <= block && block < min($0.end, $0.cursor + claimLimit) }
  }

  /// The claimed and loading blocks; shared ones may count twice.
  private var claimedCount: Int {
    wants.values.reduce(0) { $0 + $1.frontier - $1.cursor }
      + loads.reduce(0) { $0 + max(0, $1.end - max($1.next, $1.wantedEnd)) }
  }

  // MARK: Reading ahead

  /// 1, 2, 4 and so on, up to the limit.
  private func nextWindow(of stream: Int) -> Int {
    min(limits.readAheadBlocks, max(1, (streams[stream]?.window ?? 0) * 2))
  }

  /// Reads ahead of a sequential want that has claimed all of its blocks.
  private mutating func readAhead(_ want: Want, _ actions: inout [Action]) {
    // The last free connection is for wants.
    guard want.isSequential, limits.readAheadBlocks > 0, loads.count < max(1, limits.loads - 1),
      let stream = streams[want.stream]
    else { return }
    let window = nextWindow(of: want.stream)
    let end = min(grid.count, want.end + window)
    var start = want.end
    while start < end, !isMissing(start) { start += 1 }
    guard start < end, start - want.end < max(1, stream.window / 2) else { return }
    let most = min(limits.requestBlocks, limits.cachedBlocks - claimedCount)
    guard most > 0 else { return }
    var range = start..<start + 1
    while range.count < most, range.upperBound < end, isMissing(range.upperBound) {
      range = start..<range.upperBound + 1
    }
    streams[want.stream]?.window = window
    begin(range, wantedEnd: start, stream: want.stream, &actions)
  }

  mutating func abandonReadAhead(of stream: Int) {
    for index in loads.indices where loads[index].stream == stream { loads[index].stream = nil }
  }

  /// Cancels loads that no want or reader needs any more, and plans the queue with the free connections.
  mutating func cancelUnneeded(_ actions: inout [Action]) {
    let before = loads.count
    loads.removeAll { load in
      let isNeeded =
        load.stream != nil || load.remaining.isEmpty
        || wants.values.contains { ($0.cursor..<$0.end).overlaps(load.remaining) }
      if !isNeeded { actions.append(.cancelLoad(load.id)) }
      return !isNeeded
    }
    evict(&actions)
    if loads.count < before { planQueue(&actions) }
  }

  // MARK: Eviction and resumption

  /// Evicts down to the bound: blocks that are not claimed, then those that are no want's next block, which are loaded again.
  mutating func evict(_ actions: inout [Action]) {
    var isRewound = false
    while recent.count > limits.cachedBlocks,
      let block = recent.oldest(where: { block in !wants.values.contains { $0.claims(block) } })
        ?? recent.oldest(where: { block in !wants.values.contains { $0.cursor == block } })
    {
      recent.remove(block)
      actions.append(.drop(block))
      for id in wants.keys where wants[id]?.claims(block) == true {
        wants[id]?.frontier = block
        isRewound = true
      }
    }
    // The rest of a want's batch may be complete now.
    if isRewound { wakeWants(&actions) }
  }

  mutating func wakeWants(_ actions: inout [Action]) {
    var ready: [Int] = []
    for (id, want) in wants where want.isWaiting && recent.contains(want.cursor) {
      let batch = want.cursor..<max(want.cursor + 1, min(want.frontier, want.cursor + Self.wakeBatch))
      if batch.allSatisfy(recent.contains) { ready.append(id) }
    }
    for id in ready.sorted() {
      wants[id]?.isWaiting = false
      actions.append(.wake(id))
    }
  }
}
