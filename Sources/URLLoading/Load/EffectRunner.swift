internal import URLLoadingBase

/// A state machine without I/O, which returns its effects.
protocol EffectMachine: Sendable {
  associatedtype Effect: Sendable
  /// The effects since the last call, in order.
  mutating func takeEffects() -> [Effect]
}

/// Guards a machine and carries out its effects: outside of the lock, by one thread at a time, in order.
///
/// Mutable state: `state`, guarded by its lock.
final class EffectRunner<Machine: EffectMachine>: Sendable {
  private struct State {
    var machine: Machine
    /// A thread is carrying effects out, and will see those that are added meanwhile.
    var isCarryingOut = false
    /// Calls after the pending effects.
    var later: [@Sendable () -> Void] = []

    /// The next batch for the calling thread to carry out, which then asks again; nil if there is none.
    mutating func takeBatch() -> Batch? {
      let effects = machine.takeEffects()
      isCarryingOut = !effects.isEmpty || !later.isEmpty
      return isCarryingOut ? Batch(effects: effects, later: exchange(&later, with: [])) : nil
    }
  }

  private struct Batch {
    let effects: [Machine.Effect]
    let later: [@Sendable () -> Void]
  }

  private let state: Locked<State>

  init(_ machine: Machine) {
    state = Locked(State(machine: machine))
  }

  func read<Result>(_ body: (Machine) -> sending Result) -> sending Result { state.withLock { body($0.machine) } }

  /// Changes the machine, and carries out the effects.
  /// - Parameter last: called after the effects of this and earlier changes, on the thread that carries them out.
  func update<Result>(
    _ change: (inout Machine) -> sending Result, carryingOut carryOut: (Machine.Effect) -> Void,
    then last: (@Sendable () -> Void)? = nil
  ) -> sending Result {
    var (result, batch) = state.withLock { state in
      if let last { state.later.append(last) }
      let result = change(&state.machine)
      return (result, state.isCarryingOut ? nil : state.takeBatch())
    }
    while let due = batch {
      for effect in due.effects { carryOut(effect) }
      for call in due.later { call() }
      batch = state.withLock { $0.takeBatch() }
    }
    return result
  }
}

extension Load {
  /// Calls a handler of the task's owner on the session's delegate queue, after earlier deliveries. Unlike a delegate,
  /// it is called even if the task is cancelled or has ended.
  func call(_ handler: @escaping @Sendable () -> Void) {
    if read({ $0.delivery })?.addHandler(handler) != true { session.delegateQueue.addOperation(handler) }
  }

  /// Calls the task's delegate after earlier deliveries.
  /// - Parameter receivers: those of the task's kind.
  func tell<Delegate, Task: URLSessionTask>(
    _ method: DelegateMethod, _ receivers: (SessionDelegates) -> DelegateReceivers<Delegate>?,
    of kind: Task.Type, _ call: @escaping @Sendable (Delegate, URLSession, Task) -> Void
  ) {
    let (delegates, task, delivery) = read { (receivers($0.delegates), $0.task as? Task, $0.delivery) }
    guard let delegates, let task, let delivery, !delegates.lacks(method) else { return }
    delivery.add { delegates.tell(method) { call($0, self.session, task) } }
  }
}
