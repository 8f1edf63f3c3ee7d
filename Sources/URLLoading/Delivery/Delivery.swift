internal import URLLoadingBase
internal import URLLoadingCurlTransport

/// Calls one task's owner: one call at a time, in the order in which they were added, on the session's delegate queue.
///
/// A *question* is a call that has to be answered: until then only handlers after it run. Small pieces of queued data are coalesced.
///
/// Mutable state: `state`, guarded by its lock.
final class Delivery: Sendable {
  /// Where calls run.
  enum Executor: Sendable {
    /// Synchronously, on the thread that adds them: for tasks whose owner is code of this library.
    case inline
    /// On a queue, which is made at its first call.
    case queue(@Sendable () -> OperationQueue)
  }

  private enum Item: Sendable {
    case call(@Sendable () -> Void)
    case question(Int, @Sendable () -> Void)
    /// A call that is not dropped.
    case handler(@Sendable () -> Void)
    case data(Data)
    /// The place of one that was taken out.
    case taken
  }

  private struct State {
    var items: [Item] = []
    var next = 0
    var isScheduled = false
    /// The calls run at the end of the loop's turn at the latest.
    var isDeferred = false
    var openQuestion: Int?
    var lastQuestion = 0
    var isClosed = false
    /// Nothing but handlers and the last call is left.
    var isDropped = false
    var isDone = false
    var takeData: @Sendable (Data) -> Void = { _ in }

    var hasWork: Bool { next < items.count && (openQuestion == nil || firstHandler != nil) }

    /// Handlers pass an open question: what they wait for may have a deadline.
    private var firstHandler: Int? {
      items[next...].firstIndex { if case .handler = $0 { true } else { false } }
    }

    mutating func popFirst() -> Item? {
      guard hasWork else { return nil }
      if openQuestion != nil {
        guard let handler = firstHandler else { return nil }
        return items.remove(at: handler)
      }
      let item = items[next]
      // Released now: with a slow owner the queue may never be empty.
      items[next] = .taken
      next += 1
      if next == items.count {
        items.removeAll(keepingCapacity: true)
        next = 0
        isDone = isClosed
      } else if next >= 64, next * 2 >= items.count {
        items.removeFirst(next)
        next = 0
      }
      return item
    }
  }

  private let state = Locked(State(), rank: .delivery)
  private let executor: Executor

  init(executor: Executor) {
    self.executor = executor
  }

  /// Sets what data is given to.
  func setDataHandler(_ handler: @escaping @Sendable (Data) -> Void) {
    state.withLock { $0.takeData = handler }
  }

  /// Adds a call.
  func add(_ call: @escaping @Sendable () -> Void) {
    add(.call(call))
  }

  /// Adds a call that ``replaceAll(with:)`` leaves ahead of the last one.
  /// - Returns: false where nothing can be added any more.
  func addHandler(_ handler: @escaping @Sendable () -> Void) -> Bool {
    var isAdded = false
    update { state in
      guard !state.isClosed else { return }
      state.items.append(.handler(handler))
      isAdded = true
    }
    return isAdded
  }

  /// Adds a call in front of all queued ones, the last call included.
  func addNext(_ call: @escaping @Sendable () -> Void) {
    update { $0.items.insert(.call(call), at: $0.next) }
  }

  /// Adds a question: `ask` gets a handler that works once; a second call, or one after the end, does nothing.
  func addQuestion<Answer: Sendable>(
    ask: @escaping @Sendable (@escaping @Sendable (Answer) -> Void) -> Void,
    then proceed: @escaping @Sendable (Answer) -> Void
  ) {
    let number = state.withLock { state in
      state.lastQuestion += 1
      return state.lastQuestion
    }
    add(
      .question(number) {
        ask { answer in self.answered(number) { proceed(answer) } }
      })
  }

  /// Adds a question in front of all that is queued, and a call right after it; nothing once ``replaceAll(with:)`` was called.
  func addNextQuestion<Answer: Sendable>(
    ask: @escaping @Sendable (@escaping @Sendable (Answer) -> Void) -> Void,
    then proceed: @escaping @Sendable (Answer) -> Void, followedBy call: @escaping @Sendable () -> Void
  ) {
    update { state in
      guard !state.isDropped else { return }
      state.lastQuestion += 1
      let number = state.lastQuestion
      let question = Item.question(number) {
        ask { answer in self.answered(number) { proceed(answer) } }
      }
      state.items.insert(contentsOf: [question, .call(call)], at: state.next)
    }
  }

  /// Pieces are coalesced up to this length, in bytes: single bytes would cost a call each, large pieces a copy.
  private static let largestJoin = 64 << 10

  /// Adds bytes of the body.
  func add(_ bytes: UnsafeRawBufferPointer) {
    addData { state in
      guard !state.isClosed, !Self.join(bytes, to: &state) else { return }
      state.items.append(.data(BodyMemory.shared.data(copying: bytes)))
    }
  }

  /// Adds bytes of the body, without a copy where they are many.
  func add(_ data: Data) {
    addData { state in
      guard !state.isClosed else { return }
      if data.count <= Self.largestJoin, data.withUnsafeBytes({ Self.join($0, to: &state) }) { return }
      state.items.append(.data(data))
    }
  }

  /// Changes the state, then runs the calls that are due: on a loop's thread at the end of its turn, by when the body may be whole. Each
  /// operation of the queue costs several microseconds.
  private func addData(_ change: (inout State) -> Void) {
    guard case .queue = executor else { return update(change) }
    let defers = state.withLock { state in
      change(&state)
      guard !state.isDeferred, !state.isScheduled, state.hasWork else { return false }
      state.isDeferred = true
      return true
    }
    if defers { EventLoop.handOver { self.update { $0.isDeferred = false } } }
  }

  /// Appends bytes to queued data, if both are small.
  private static func join(_ bytes: UnsafeRawBufferPointer, to state: inout State) -> Bool {
    guard state.next < state.items.count, case .data(var joined) = state.items[state.items.count - 1],
      joined.count + bytes.count <= largestJoin
    else { return false }
    state.items[state.items.count - 1] = .taken
    joined.append(contentsOf: bytes)
    state.items[state.items.count - 1] = .data(joined)
    return true
  }

  /// Drops all pending calls except handlers, including an open question, and adds a last call; nothing can be added
  /// afterwards. Does nothing if a last call has run or is running.
  func replaceAll(with last: @escaping @Sendable () -> Void) {
    close(last, dropsWaiting: true)
  }

  /// Adds the last call; nothing can be added afterwards.
  func addLast(_ last: @escaping @Sendable () -> Void) {
    close(last, dropsWaiting: false)
  }

  /// Removes the queued data, for a consumer of another kind.
  func takeWaitingData() -> [Data] {
    state.withLock { state in
      var taken: [Data] = []
      var kept: [Item] = []
      for item in state.items[state.next...] {
        if case .data(let data) = item { taken.append(data) } else { kept.append(item) }
      }
      state.items = kept
      state.next = 0
      return taken
    }
  }

  private func close(_ last: @escaping @Sendable () -> Void, dropsWaiting: Bool) {
    // Dropped calls are released outside the lock: their release may run user code.
    let (schedules, dropped) = state.withLock { state -> (Bool?, [Item]) in
      var dropped: [Item] = []
      guard !state.isDone else { return (false, []) }
      if dropsWaiting {
        swap(&dropped, &state.items)
        state.items = dropped[state.next...].filter { if case .handler = $0 { true } else { false } }
        state.next = 0
        state.openQuestion = nil
        state.isDropped = true
      } else if state.isClosed {
        return (false, [])
      }
      state.isClosed = true
      if case .inline = executor, !state.isScheduled, !state.hasWork, state.openQuestion == nil {
        state.isDone = true
        return (nil, dropped)
      }
      state.items.append(.call(last))
      return (schedule(&state), dropped)
    }
    withExtendedLifetime(dropped) {}
    guard let schedules else { return last() }
    if schedules { run() }
  }

  private func add(_ item: Item) {
    update { if !$0.isClosed { $0.items.append(item) } }
  }

  /// Changes the state, then runs the calls that are due.
  private func update(_ change: (inout State) -> Void) {
    let schedules = state.withLock { state in
      change(&state)
      return schedule(&state)
    }
    if schedules { run() }
  }

  /// Whether the caller has to call ``run()``.
  private func schedule(_ state: inout State) -> Bool {
    guard !state.isScheduled, state.hasWork else { return false }
    state.isScheduled = true
    return true
  }

  private func run() {
    switch executor {
    case .inline: drain(atMost: .max)
    case .queue(let queue): queue().addOperation { self.drain(atMost: 16) }
    }
  }

  /// Makes the queue, if there is none yet.
  func warmUp() {
    if case .queue(let queue) = executor { _ = queue() }
  }

  /// Runs queued calls, and yields the queue to other tasks after `limit` calls, so that none starves.
  private func drain(atMost limit: Int) {
    for _ in 0..<limit {
      let (item, takeData) = state.withLock { (Self.takeNext(&$0), $0.takeData) }
      switch item {
      case nil: return
      case .taken: break
      case .call(let call), .handler(let call): call()
      case .question(_, let ask): ask()
      case .data(let data): takeData(data)
      }
    }
    run()
  }

  /// The next item; nil when there is none, and then the caller stops.
  private static func takeNext(_ state: inout State) -> Item? {
    let item = state.popFirst()
    if case .question(let number, _) = item { state.openQuestion = number }
    if item == nil { state.isScheduled = false }
    return item
  }

  private func answered(_ number: Int, before proceed: () -> Void) {
    let isOpen = state.withLock { state in
      guard state.openQuestion == number else { return false }
      state.openQuestion = -number
      return true
    }
    guard isOpen else { return }
    proceed()
    update { if $0.openQuestion == -number { $0.openQuestion = nil } }
  }
}
