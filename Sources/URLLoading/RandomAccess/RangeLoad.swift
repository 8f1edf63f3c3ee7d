internal import URLLoadingBase

/// One request for neighbouring blocks, which go to the source as they are filled.
///
/// Mutable state: `state`, guarded by its lock.
final class RangeLoad: BodySink {
  private struct State {
    weak var source: RangedSource?
    var task: URLSessionTask?
    var isCancelled = false
    /// The response was of the right part of the right version.
    var isAccepted = false
    var isOver = false
    /// The position in the resource of the next byte.
    var position: Int64
    var block: CacheBlock?
    var blockIndex: Int
    var filled = 0
  }

  let id: Int
  let bytes: Range<Int64>
  let holdsBytes = false
  private let blocks: Range<Int>
  private let version: ResourceVersion
  private let grid: BlockGrid
  private let state: Locked<State>

  init(id: Int, blocks: Range<Int>, version: ResourceVersion, grid: BlockGrid, source: RangedSource?) {
    self.id = id
    self.blocks = blocks
    self.version = version
    self.grid = grid
    bytes = grid.bytes(of: blocks)
    state = Locked(State(source: source, position: bytes.lowerBound, blockIndex: blocks.lowerBound))
  }

  // MARK: Commands

  /// Sends the request.
  func start(_ requests: RangeRequests) {
    let request = requests.request(
      for: .positions(first: bytes.lowerBound, last: bytes.upperBound - 1), ifRange: version.validators.ifRangeValue)
    let task = requests.task(for: request, sink: self)
    if use(task) { task.resume() }
  }

  /// Takes over the first request, whose response was accepted.
  func adopt(_ task: URLSessionTask, for source: RangedSource) {
    state.withLock { state in
      state.source = source
      state.isAccepted = true
    }
    _ = use(task)
  }

  func cancel() {
    state.withLock { $0.isCancelled = true }
    takeRest()?.task?.cancel()
  }

  /// The load is over; nil where it was.
  private func takeRest() -> (source: RangedSource?, task: URLSessionTask?, position: Int64)? {
    state.withLock { state in
      guard !state.isOver else { return nil }
      state.isOver = true
      state.block = nil
      return (state.source, state.task.take(), state.position)
    }
  }

  private func use(_ task: URLSessionTask) -> Bool {
    let isCancelled = state.withLock { state in
      if !state.isOver { state.task = task }
      return state.isCancelled
    }
    if isCancelled { task.cancel() }
    return !isCancelled
  }

  // MARK: Events of the load

  func begin(response: URLResponse) {
    let isFirst = state.withLock { !$0.isAccepted && !$0.isOver }
    guard isFirst else {
      return fail(
        URLError(
          .badServerResponse, message: "A second response came for a range.",
          url: version.url))
    }
    switch version.judge(response, asked: bytes) {
    case .fits: state.withLock { $0.isAccepted = true }
    case .refused(let error): fail(error)
    case .changed(let error):
      let source = state.withLock { $0.source }
      source?.fail(error)
      cancel()
    }
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws -> Bool {
    let (full, source, isTooMuch) = state.withLock { state -> ([CacheBlock], RangedSource?, Bool) in
      guard state.isAccepted, !state.isOver else { return ([], nil, false) }
      let taken = UnsafeRawBufferPointer(rebasing: bytes.prefix(Int(clamping: self.bytes.upperBound - state.position)))
      return (fill(&state, taken), state.source, taken.count < bytes.count)
    }
    if !full.isEmpty { source?.receive(full, from: self) }
    if isTooMuch {
      throw failure("more bytes came than the range \(ResourceVersion.name(self.bytes)) has")
    }
    return false
  }

  func end(_ error: (any Error)?) {
    guard let rest = takeRest(), let source = rest.source else { return }
    let count = rest.position - bytes.lowerBound
    let truncationError =
      rest.position < bytes.upperBound ? failure("only \(count) of the \(bytes.count) bytes of a range came") : nil
    source.ended(self, error ?? truncationError)
  }

  /// Copies bytes into blocks.
  /// - Returns: the blocks that were filled.
  private func fill(_ state: inout State, _ bytes: UnsafeRawBufferPointer) -> [CacheBlock] {
    var full: [CacheBlock] = []
    var rest = bytes
    while !rest.isEmpty, state.blockIndex < blocks.upperBound {
      let block = state.block ?? CacheBlock(count: grid.bytes(of: state.blockIndex).count)
      let count = min(rest.count, block.memory.count - state.filled)
      UnsafeMutableRawBufferPointer(rebasing: block.memory[state.filled..<state.filled + count])
        .copyMemory(from: UnsafeRawBufferPointer(rebasing: rest[..<count]))
      rest = UnsafeRawBufferPointer(rebasing: rest[count...])
      state.filled += count
      state.position += Int64(count)
      state.block = block
      if state.filled == block.memory.count {
        full.append(block)
        state.block = nil
        state.blockIndex += 1
        state.filled = 0
      }
    }
    return full
  }

  /// Fails the load.
  private func fail(_ error: URLError) {
    guard let (source, task, _) = takeRest() else { return }
    source?.ended(self, error)
    task?.cancel()
  }

  private func failure(_ what: String) -> URLError {
    URLError(
      .networkConnectionLost, message: "Cannot read \(version.url.redactedDescription): \(what).", url: version.url)
  }
}
