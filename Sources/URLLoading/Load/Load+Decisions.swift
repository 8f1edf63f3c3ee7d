internal import URLLoadingBase

/// The one way to wait for what is known later: the answer of a delegate, a cache on a disk, a claim at a shared store, a storage of the
/// program's own.
///
/// What comes too late, after a cancellation or for an attempt that is over, has no effect: ``State/begin(_:)`` and the machine compare the
/// attempt's number, under the lock.
extension Load {
  /// Asks for something by which the attempt's beginning is decided.
  /// - Parameters:
  ///   - function: passes the answer to its handler.
  ///   - attempt: whose request timeout stops until the answer; nil where that runs on.
  ///   - decide: gets the answer, once.
  /// - Returns: the decision; nil also where the answer comes later, when the attempt begins by itself.
  func decide<Value: Sendable>(
    awaiting function: (_ handler: @escaping @Sendable (Value) -> Void) -> Void, stopping attempt: Int? = nil,
    then decide: @escaping @Sendable (Value) -> AttemptStart?
  ) -> AttemptStart? {
    if let attempt { waiting(true, attempt: attempt) }
    @Sendable func decision(_ value: Value) -> AttemptStart? {
      if let attempt { waiting(false, attempt: attempt) }
      return decide(value)
    }
    let value = immediateResult(of: function) { value in
      self.open(decision(value))
    }
    return value.flatMap { decision($0) }
  }

  /// Asks for something by which the load goes on.
  /// - Parameters:
  ///   - function: passes the answer to its handler.
  ///   - attempt: whose request timeout stops until the answer; nil where that runs on, or stands still for a decision.
  ///   - proceed: gets the answer, once.
  func decide<Value>(
    awaiting function: (_ handler: @escaping @Sendable (Value) -> Void) -> Void, stopping attempt: Int? = nil,
    then proceed: @escaping @Sendable (Value) -> Void
  ) {
    guard let attempt else { return function(proceed) }
    waiting(true, attempt: attempt)
    function { value in
      self.waiting(false, attempt: attempt)
      proceed(value)
    }
  }

  /// Asks the task's owner, after all that it was told before. A question that the load's end drops has no answer.
  /// - Parameters:
  ///   - call: calls the method, whose completion handler it is given.
  ///   - proceed: gets the answer, once.
  func decide<Delegate, Answer: Sendable>(
    asking delegate: DelegateReceivers<Delegate>, _ method: DelegateMethod, by delivery: Delivery,
    _ call: @escaping @Sendable (Delegate, @escaping @Sendable (Answer) -> Void) -> Void,
    then proceed: @escaping @Sendable (Answer) -> Void
  ) {
    decide(
      awaiting: { answer in
        delivery.addQuestion(ask: { take in delegate.ask(method, call, answer: take) }, then: answer)
      }, then: proceed)
  }
}
