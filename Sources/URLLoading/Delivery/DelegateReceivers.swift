/// The delegates that are called about a task: its own, and the session's for methods that it lacks.
///
/// Only here one delegate replaces another; the default methods of the protocols call no other delegate.
struct DelegateReceivers<Delegate: Sendable>: Sendable {
  /// A delegate and what is known about its class.
  struct Receiver: Sendable {
    let delegate: Delegate
    let object: ObjectIdentifier
    let traits: DelegateTraits
  }

  let first: Receiver
  /// Nil where the first is the only one, which is then always called.
  let second: Receiver?

  /// Calls the first that implements the method.
  func tell(_ method: DelegateMethod, _ call: (Delegate) -> Void) {
    guard let second else { return call(first.delegate) }
    if first.tells(method, call) { return }
    call(second.delegate)
  }

  /// Asks the first that implements the method; where none does, the default of the last answers.
  func ask<Answer: Sendable>(
    _ method: DelegateMethod, _ call: (Delegate, @escaping @Sendable (Answer) -> Void) -> Void,
    answer: @escaping @Sendable (Answer) -> Void
  ) {
    if let second {
      if first.asks(method, isLast: false, call, answer: answer) { return }
      _ = second.asks(method, isLast: true, call, answer: answer)
    } else {
      _ = first.asks(method, isLast: true, call, answer: answer)
    }
  }

  /// Asks the first that implements the method, and nobody by default.
  /// - Returns: false where none does; there is no answer then.
  func asks<Answer: Sendable>(
    _ method: DelegateMethod, _ call: (Delegate, @escaping @Sendable (Answer) -> Void) -> Void,
    answer: @escaping @Sendable (Answer) -> Void
  ) -> Bool {
    first.asks(method, isLast: false, call, answer: answer)
      || second?.asks(method, isLast: false, call, answer: answer) == true
  }

  /// Whether it is known that none implements the method.
  func lacks(_ method: DelegateMethod) -> Bool {
    first.traits.has(method) == false && second.map { $0.traits.has(method) == false } ?? true
  }
}

extension DelegateReceivers.Receiver {
  /// - Returns: false when the delegate has no such method.
  fileprivate func tells(_ method: DelegateMethod, _ call: (Delegate) -> Void) -> Bool {
    if let isPresent = traits.has(method) {
      if isPresent { call(delegate) }
      return isPresent
    }
    let probe = DelegateProbe(object, method)
    DelegateProbe.$current.withValue(probe) { call(delegate) }
    return conclude(probe, method)
  }

  /// - Parameter isLast: whether the default may answer.
  /// - Returns: false when the delegate has no such method; there is no answer then, unless it is the last.
  func asks<Answer: Sendable>(
    _ method: DelegateMethod, isLast: Bool, _ call: (Delegate, @escaping @Sendable (Answer) -> Void) -> Void,
    answer: @escaping @Sendable (Answer) -> Void
  ) -> Bool {
    if let isPresent = traits.has(method) {
      if isPresent || isLast { call(delegate, answer) }
      return isPresent
    }
    let probe = DelegateProbe(object, method)
    DelegateProbe.$current.withValue(probe) {
      // A default answers before the call returns: that is no answer of the delegate's.
      call(delegate) { given in if isLast || !probe.foundNoImplementation { answer(given) } }
    }
    return conclude(probe, method)
  }

  /// Records what a call that has returned shows: a default is reached while it runs, or never.
  private func conclude(_ probe: DelegateProbe, _ method: DelegateMethod) -> Bool {
    probe.close()
    let isPresent = !probe.foundNoImplementation
    traits.record(method, isPresent: isPresent)
    return isPresent
  }
}
