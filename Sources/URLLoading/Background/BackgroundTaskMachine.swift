internal import URLLoadingBase

/// What a program's side of a background task does next: which commands the service gets, and which events the task's load. A value without
/// I/O.
struct BackgroundTaskMachine: EffectMachine {
  enum Effect {
    /// Tells the service something.
    case send(BackgroundCommand)
    /// Tells the load something.
    case deliver(BackgroundEvent)
  }

  private let task: Int
  /// Whether the service loads it, as far as it was told.
  private(set) var isResumed: Bool
  /// The load has an instance that takes events.
  private var hasBegun = false
  /// The service has told the end.
  private var hasEnded = false
  /// The load has ended, and the service knows or is about to.
  private var isOver = false
  /// The load was told that the task waits for connectivity, which it is once.
  private var hasWaited = false
  private var waiting = FIFO<BackgroundEvent>()
  private var effects: [Effect] = []

  /// - Parameter isResumed: whether the service loads it already.
  init(task: Int, isResumed: Bool) {
    self.task = task
    self.isResumed = isResumed
  }

  mutating func takeEffects() -> [Effect] {
    defer { effects = [] }
    return effects
  }

  /// The load takes events from now on.
  mutating func begin() {
    guard !hasBegun, !isOver else { return }
    hasBegun = true
    setResumed(true)
    while let event = waiting.popFirst() { effects.append(.deliver(event)) }
  }

  /// Says that the task is to be loaded, or not for now.
  mutating func setResumed(_ resumed: Bool) {
    guard !isOver, !hasEnded, resumed != isResumed else { return }
    isResumed = resumed
    effects.append(.send(resumed ? .resume(task: task) : .suspend(task: task)))
  }

  mutating func receive(_ event: BackgroundEvent) {
    if case .ended = event {
      // A service that was started again repeats what it does not know to be taken.
      guard !isOver else { return effects.append(.send(.tookEnd(task: task))) }
      guard !hasEnded else { return }
      hasEnded = true
    }
    guard !isOver else { return }
    if case .waitsForConnectivity = event {
      guard !hasWaited else { return }
      hasWaited = true
    }
    if hasBegun { effects.append(.deliver(event)) } else { waiting.append(event) }
  }

  mutating func tookFile() { effects.append(.send(.tookFile(task: task))) }

  /// The load has ended, by itself or because the service said so.
  mutating func end() {
    guard !isOver else { return }
    isOver = true
    waiting = FIFO()
    effects.append(.send(hasEnded ? .tookEnd(task: task) : .cancel(task: task, wantsResumeData: false)))
  }

  /// The service has cancelled the task, for its resume data.
  mutating func wasCancelled() {
    // Its end came first, which the service keeps until it is taken.
    guard !hasEnded else { return }
    isOver = true
    waiting = FIFO()
  }
}
