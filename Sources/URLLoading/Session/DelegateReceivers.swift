/// Who is told about a task, or asked: its own delegate, and behind it the session's, for what that lacks.
///
/// This is where one delegate stands in for another. The default methods of the protocols do not: a delegate that forwards to another
/// one gets from it what an absent method does, and nothing comes back to itself.
struct DelegateReceivers<Delegate: Sendable>: Sendable {
  /// A delegate and what is known of its class.
  struct Receiver: Sendable {
    let delegate: Delegate
    let object: ObjectIdentifier
    let traits: DelegateTraits
  }

  let first: Receiver
  /// Nil where the first is the only one: it is called then, whatever it lacks.
  let second: Receiver?

  /// Tells the first that implements the method.
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

  /// Whether it is known that none implements the method.
  func lacks(_ method: DelegateMethod) -> Bool {
    first.traits.has(method) == false && second.map { $0.traits.has(method) == false } ?? true
  }
}

extension DelegateReceivers.Receiver {
  /// - Returns: false when the delegate has no such method, and was told nothing.
  fileprivate func tells(_ method: DelegateMethod, _ call: (Delegate) -> Void) -> Bool {
    if let isPresent = traits.has(method) {
      if isPresent { call(delegate) }
      return isPresent
    }
    let probe = DelegateProbe(object, method)
    DelegateProbe.$current.withValue(probe) { call(delegate) }
    return conclude(probe, method)
  }

  /// - Parameter isLast: whether nobody else is asked, and the default is to answer.
  /// - Returns: false when the delegate has no such method; it has answered nothing then, unless it is the last.
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
      // A default answers at once, before the call returns: that is not what the delegate says.
      call(delegate) { given in if isLast || !probe.foundNoImplementation { answer(given) } }
    }
    return conclude(probe, method)
  }

  /// What a call that has returned says about the delegate's class: defaults are reached while it runs, or never.
  private func conclude(_ probe: DelegateProbe, _ method: DelegateMethod) -> Bool {
    probe.close()
    let isPresent = !probe.foundNoImplementation
    traits.note(method, isPresent: isPresent)
    return isPresent
  }
}
