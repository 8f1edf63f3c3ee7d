internal import URLLoadingBase

/// A resource that is loaded block by block, by requests with ranges, into a cache that all readers share.
///
/// Executes the actions of the machine. Loads are started and cancelled, and reads resumed, outside of the lock.
///
/// Mutable state: `state`, guarded by its lock. Blocks are immutable once they are in it.
final class RangedSource: RandomAccessSource {
  private struct State {
    var machine: BlockCacheMachine
    var blocks: [Int: CacheBlock] = [:]
    var loads: [Int: RangeLoad] = [:]
    /// By the number of the machine's want.
    var handles: [Int: ReadHandle] = [:]
    var errors: [Int: any Error] = [:]
    /// Why nothing can be read any more.
    var failure: URLError?
  }

  /// Effects of actions, for after the lock.
  private struct Effects: Sendable {
    var started: [RangeLoad] = []
    var cancelled: [RangeLoad] = []
    var woken: [ReadHandle] = []
    /// Freed after the lock.
    var dropped: [CacheBlock] = []
  }

  let version: ResourceVersion
  let waitsForDisk = false
  private let requests: RangeRequests
  private let grid: BlockGrid
  private let state: Locked<State>

  var url: URL { version.url }
  var length: Int64 { version.length }

  /// - Parameters:
  ///   - first: the bytes that the first request brings, which `firstLoad` loads; none for an empty resource.
  ///   - task: that of the first request.
  init(
    version: ResourceVersion, requests: RangeRequests, options: RandomAccessOptions, first: Range<Int64>,
    task: URLSessionTask?
  ) {
    self.version = version
    self.requests = requests
    let grid = BlockGrid(length: version.length, blockSize: options.effectiveBlockSize, origin: first.lowerBound)
    self.grid = grid
    let blocks = first.isEmpty ? 0..<0 : grid.blocks(covering: first)
    let limits = BlockCacheMachine.Limits(
      options, connections: requests.session.values.httpMaximumConnectionsPerHost)
    state = Locked(State(machine: BlockCacheMachine(grid: grid, limits: limits, first: blocks)))
    guard !first.isEmpty, let task else { return }
    let load = RangeLoad(id: 0, blocks: blocks, version: version, grid: grid, source: nil)
    state.withLock { $0.loads[0] = load }
    load.adopt(task, for: self)
  }

  deinit {
    for load in state.withLock({ $0.loads.values }) { load.cancel() }
  }

  /// The load of the first request, while it lasts.
  var firstLoad: RangeLoad? { state.withLock { $0.loads[0] } }

  // MARK: Readers

  func addStream() -> Int { state.withLock { $0.machine.addStream() } }

  func removeStream(_ stream: Int) {
    perform { state, effects in
      apply(state.machine.removeStream(stream), &state, &effects)
    }
  }

  func begin(_ bytes: Range<Int64>, stream: Int, handle: ReadHandle) throws -> RunningRead {
    try perform { state, effects in
      if let failure = state.failure { throw failure }
      let (want, actions) = state.machine.begin(bytes, stream: stream)
      state.handles[want] = handle
      apply(actions, &state, &effects)
      return RunningRead(number: want, bytes: bytes, handle: handle)
    }
  }

  func advance(_ read: inout RunningRead, into destination: UnsafeMutableRawPointer) throws -> ReadStep {
    let number = read.number
    let (take, block) = try perform { state, effects -> (BlockCacheMachine.Take, CacheBlock?) in
      if let error = state.failure ?? state.errors[number] { throw error }
      let (take, actions) = state.machine.take(number)
      defer { apply(actions, &state, &effects) }
      // Before the actions, which may drop it.
      guard case .block(let index) = take else { return (take, nil) }
      return (take, state.blocks[index])
    }
    guard case .block(let index) = take, let block else {
      if take == .wait { return .wait }
      throw URLError(.unknown, message: "A read of \(url.redactedDescription) lost its place.", url: url)
    }
    let there = grid.bytes(of: index)
    let end = min(there.upperBound, read.bytes.upperBound)
    let part = UnsafeRawBufferPointer(block.memory)[
      Int(read.position - there.lowerBound)..<Int(end - there.lowerBound)]
    UnsafeMutableRawBufferPointer(start: destination + Int(read.position - read.bytes.lowerBound), count: part.count)
      .copyMemory(from: UnsafeRawBufferPointer(rebasing: part))
    read.position = end
    guard read.isComplete else { return .more }
    forget(number)
    return .finished
  }

  func abandon(_ read: RunningRead) {
    perform { state, effects in
      apply(state.machine.cancel(read.number), &state, &effects)
    }
    forget(read.number)
  }

  private func forget(_ number: Int) {
    state.withLock { state in
      state.handles[number] = nil
      state.errors[number] = nil
    }
  }

  func close() { fail(closure) }

  // MARK: Loads

  func receive(_ blocks: [CacheBlock], from load: RangeLoad) {
    perform { state, effects in
      guard let first = state.machine.nextBlock(of: load.id) else {
        effects.dropped += blocks
        return
      }
      for (offset, block) in blocks.enumerated() { state.blocks[first + offset] = block }
      apply(state.machine.arrived(blocks.count, of: load.id), &state, &effects)
    }
  }

  /// A load is complete, or failed.
  func ended(_ load: RangeLoad, _ error: (any Error)?) {
    perform { state, effects in
      state.loads[load.id] = nil
      let actions = error == nil ? state.machine.ended(load.id) : state.machine.failed(load.id)
      apply(actions, &state, &effects, error: error)
    }
  }

  /// Makes all reads fail. Only the first error counts.
  func fail(_ error: URLError) {
    perform { state, effects in
      guard state.failure == nil else { return }
      state.failure = error
      apply(state.machine.abandonAll(), &state, &effects, error: error)
    }
  }

  // MARK: Actions

  /// Changes the state, then executes the effects.
  private func perform<Result, Failure: Error>(
    _ body: (inout State, inout Effects) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var effects = Effects()
    defer { run(effects) }
    return try state.withLock { state throws(Failure) in try body(&state, &effects) }
  }

  private func run(_ effects: Effects) {
    for handle in effects.woken { handle.wake() }
    for load in effects.cancelled { load.cancel() }
    guard !effects.started.isEmpty else { return }
    guard requests.tellsDelegate else {
      for load in effects.started { load.start(requests) }
      return
    }
    // The delegate gets a task where it is made, and this may be the transfer loop.
    BlockingPool.protocols.run { [requests] in
      for load in effects.started { load.start(requests) }
    }
  }

  private func apply(
    _ actions: [BlockCacheMachine.Action], _ state: inout State, _ effects: inout Effects, error: (any Error)? = nil
  ) {
    for action in actions {
      switch action {
      case .load(let id, let blocks):
        let load = RangeLoad(id: id, blocks: blocks, version: version, grid: grid, source: self)
        state.loads[id] = load
        effects.started.append(load)
      case .cancelLoad(let id):
        if let load = state.loads.removeValue(forKey: id) { effects.cancelled.append(load) }
      case .drop(let block):
        if let block = state.blocks.removeValue(forKey: block) { effects.dropped.append(block) }
      case .wake(let want):
        if let handle = state.handles[want] { effects.woken.append(handle) }
      case .fail(let want):
        guard let handle = state.handles[want] else { continue }
        state.errors[want] = error
        effects.woken.append(handle)
      }
    }
  }
}

extension BlockCacheMachine.Limits {
  init(_ options: RandomAccessOptions, connections: Int) {
    cachedBlocks = options.cachedBlocks
    requestBlocks = max(1, cachedBlocks / 2)
    readAheadBlocks = min(requestBlocks, max(0, options.maximumReadAhead) / options.effectiveBlockSize)
    loads = min(16, max(1, connections))
  }
}
