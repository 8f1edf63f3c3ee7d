/// Decides which blocks of a resource are loaded, kept and evicted: a value that gets events and answers with named actions. No I/O,
/// no bytes, no locks.
///
/// A *want* is one read: it takes its blocks in order, and *claims* the cached and loading ones up to its frontier; claimed blocks
/// are the last to be evicted. A *load* is one request for neighbouring blocks, which arrive in order. A *stream* is a reader, whose
/// wants are sequential or not.
///
/// Memory is bounded by the cache: loads are as large as there is room for. Where there is none, a want still gets its next block
/// loaded, against deadlock; that is one block a want beyond the bound.
struct BlockCacheMachine: Sendable {
  struct Limits: Sendable, Equatable {
    /// The blocks that may be in memory.
    var cachedBlocks: Int
    /// The largest number of blocks that one load asks for.
    var requestBlocks: Int
    /// The blocks that are loaded ahead of a sequential stream.
    var readAheadBlocks: Int
    /// Loads that run at a time.
    var loads: Int
  }

  enum Action: Equatable, Sendable {
    /// Ask for these blocks.
    case load(Int, Range<Int>)
    /// The rest of a load is not needed.
    case cancelLoad(Int)
    /// Free a block.
    case drop(Int)
    /// Resume a waiting want.
    case wake(Int)
    /// A want ends with the error of the event.
    case fail(Int)
  }

  enum Take: Equatable, Sendable {
    /// The next block of the want, which is cached.
    case block(Int)
    /// Wait to be woken.
    case wait
    /// The want has ended.
    case ended
  }

  struct Want {
    let stream: Int
    let isSequential: Bool
    /// The next block to take.
    var cursor: Int
    let end: Int
    /// The end of what is claimed.
    var frontier: Int
    var isWaiting = false

    func claims(_ block: Int) -> Bool { cursor <= block && block < frontier }
  }

  struct Load {
    let id: Int
    let end: Int
    /// The next block to arrive.
    var next: Int
    /// The end of the blocks of wants; the rest is read ahead.
    let wantedEnd: Int
    /// The stream that it is read ahead for.
    var stream: Int?

    var remaining: Range<Int> { next..<end }
  }

  struct Stream {
    /// Where a sequential read would begin.
    var next: Int64?
    /// The blocks that were last read ahead.
    var window = 0
  }

  /// The stream of the first request's blocks; it never ends.
  static let opening = -1

  let grid: BlockGrid
  let limits: Limits
  var wants: [Int: Want] = [:]
  var loads: [Load] = []
  var streams: [Int: Stream] = [:]
  var recent = RecentBlocks()
  /// Wants that need a load and wait for another one to end, in their order.
  var queue: [Int] = []
  private var lastWant = 0
  private var lastStream = 0
  var lastLoad = 0

  /// - Parameter first: the blocks that the first request brings, as load 0.
  init(grid: BlockGrid, limits: Limits, first: Range<Int> = 0..<0) {
    self.grid = grid
    self.limits = limits
    guard !first.isEmpty else { return }
    loads = [
      Load(id: 0, end: first.upperBound, next: first.lowerBound, wantedEnd: first.lowerBound, stream: Self.opening)
    ]
  }

  // MARK: Readers

  mutating func addStream() -> Int {
    lastStream += 1
    streams[lastStream] = Stream()
    return lastStream
  }

  /// Ends a reader, and what is read ahead for it.
  mutating func removeStream(_ stream: Int) -> [Action] {
    streams[stream] = nil
    var actions: [Action] = []
    abandonReadAhead(of: stream)
    cancelUnneeded(&actions)
    return actions
  }

  // MARK: Wants

  /// Begins a read of some bytes, at least one.
  mutating func begin(_ bytes: Range<Int64>, stream: Int) -> (want: Int, actions: [Action]) {
    var actions: [Action] = []
    let isSequential = streams[stream]?.next == bytes.lowerBound
    streams[stream]?.next = bytes.upperBound
    let blocks = grid.blocks(covering: bytes)
    lastWant += 1
    wants[lastWant] = Want(
      stream: stream, isSequential: isSequential, cursor: blocks.lowerBound, end: blocks.upperBound,
      frontier: blocks.lowerBound)
    if !isSequential, streams[stream]?.window ?? 0 > 0 {
      streams[stream]?.window = 0
      abandonReadAhead(of: stream)
      cancelUnneeded(&actions)
    }
    plan(lastWant, &actions)
    return (lastWant, actions)
  }

  /// The next block for a want. With its last one the want ends.
  mutating func take(_ id: Int) -> (Take, [Action]) {
    guard var want = wants[id] else { return (.ended, []) }
    var actions: [Action] = []
    let block = want.cursor
    guard recent.contains(block) else {
      wants[id]?.isWaiting = true
      plan(id, &actions)
      return (.wait, actions)
    }
    recent.touch(block)
    want.cursor += 1
    want.frontier = max(want.frontier, want.cursor)
    want.isWaiting = false
    if want.cursor == want.end {
      wants[id] = nil
      cancelUnneeded(&actions)
    } else {
      wants[id] = want
      if want.frontier < want.end { plan(id, &actions) }
    }
    return (.block(block), actions)
  }

  /// Ends a read early.
  mutating func cancel(_ id: Int) -> [Action] {
    guard wants.removeValue(forKey: id) != nil else { return [] }
    var actions: [Action] = []
    cancelUnneeded(&actions)
    return actions
  }

  // MARK: Loads

  /// The block that a load brings next; nil when it was cancelled.
  func nextBlock(of id: Int) -> Int? { loads.first { $0.id == id }?.next }

  /// The next `count` blocks of a load have arrived.
  mutating func arrived(_ count: Int, of id: Int) -> [Action] {
    guard let index = loads.firstIndex(where: { $0.id == id }) else { return [] }
    let blocks = loads[index].next..<min(loads[index].next + count, loads[index].end)
    loads[index].next = blocks.upperBound
    for block in blocks { recent.insert(block) }
    var actions: [Action] = []
    evict(&actions)
    wakeWants(&actions)
    return actions
  }

  /// A load is complete.
  mutating func ended(_ id: Int) -> [Action] {
    loads.removeAll { $0.id == id }
    var actions: [Action] = []
    planQueue(&actions)
    return actions
  }

  /// A load failed. Wants that have claimed its missing blocks fail with it; blocks that arrived are good.
  mutating func failed(_ id: Int) -> [Action] {
    guard let index = loads.firstIndex(where: { $0.id == id }) else { return [] }
    let lost = loads.remove(at: index).remaining
    var actions: [Action] = []
    for want in wants.keys.sorted() {
      guard let claimed = wants[want].map({ $0.cursor..<$0.frontier }), claimed.overlaps(lost) else { continue }
      wants[want] = nil
      actions.append(.fail(want))
    }
    cancelUnneeded(&actions)
    planQueue(&actions)
    return actions
  }

  /// Ends everything.
  mutating func abandonAll() -> [Action] {
    let blocks = recent
    var actions = loads.map { Action.cancelLoad($0.id) } + wants.keys.sorted().map { Action.fail($0) }
    recent = RecentBlocks()
    _ = blocks.oldest { block in
      actions.append(.drop(block))
      return false
    }
    loads = []
    wants = [:]
    queue = []
    return actions
  }
}
