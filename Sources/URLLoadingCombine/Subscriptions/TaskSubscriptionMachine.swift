/// What a subscription to the one result of a task does next.
///
/// Every event may come at any time, from any thread, also from inside of what it caused.
struct TaskSubscriptionMachine<Task> {
  private enum Phase {
    /// Nothing was demanded.
    case idle
    /// The task is being made.
    case making
    case loading(Task)
    /// The subscriber has the value, and not the end.
    case delivering
    case ended
  }

  private var phase = Phase.idle

  enum DemandAction { case makeTask, nothing }

  /// The subscriber demands values; how many does not matter, since there is one.
  mutating func demanded() -> DemandAction {
    guard case .idle = phase else { return .nothing }
    phase = .making
    return .makeTask
  }

  enum TaskAction { case resume, cancel }

  /// The task is there.
  mutating func made(_ task: Task) -> TaskAction {
    guard case .making = phase else { return .cancel }
    phase = .loading(task)
    return .resume
  }

  enum ResultAction { case deliver, drop }

  /// The task has a result.
  mutating func completed() -> ResultAction {
    switch phase {
    case .making, .loading:
      phase = .delivering
      return .deliver
    case .idle, .delivering, .ended: return .drop
    }
  }

  enum DeliveryAction { case finish, nothing }

  /// The subscriber has returned from the value.
  mutating func delivered() -> DeliveryAction {
    guard case .delivering = phase else { return .nothing }
    phase = .ended
    return .finish
  }

  enum CancelAction {
    case cancel(Task)
    case nothing
  }

  /// The subscriber wants nothing more.
  mutating func cancelled() -> CancelAction {
    defer { phase = .ended }
    guard case .loading(let task) = phase else { return .nothing }
    return .cancel(task)
  }
}
