/// The two forms of a method with an answer, with a completion handler and `async`: the default of each calls the other one, since a
/// delegate implements either.
///
/// The `async` methods of the protocols are no `nonisolated(nonsending)` ones: the compiler would take those of a delegate on the main
/// actor for nonisolated ones, too, and refuse them its properties. A default is reached before the call returns all the same:
/// `Task.immediate` begins on the caller's thread, and a function without isolation has no executor to switch to.
enum DelegateForms {
  fileprivate enum Form { case handler, async }

  /// The form and the method that the default implementation of the other form calls: if that is a default too, the
  /// delegate implements neither.
  struct Question: Sendable {
    fileprivate let object: ObjectIdentifier
    fileprivate let method: DelegateMethod
    fileprivate let form: Form

    fileprivate func isAbout(_ object: AnyObject, _ method: DelegateMethod, _ form: Form) -> Bool {
      self.object == ObjectIdentifier(object) && self.method == method && self.form == form
    }
  }

  @TaskLocal fileprivate static var question: Question?

  /// The default of the form with a handler.
  /// - Parameter absent: what the absence of the method means.
  static func askAsyncForm<Answer: Sendable>(
    of object: any URLSessionDelegate, _ method: DelegateMethod, absent: Answer,
    _ handler: @escaping @Sendable (Answer) -> Void, _ ask: @escaping @Sendable () async -> Answer
  ) {
    if question?.isAbout(object, method, .handler) == true { return handler(absent) }
    let question = Question(object: ObjectIdentifier(object), method: method, form: .async)
    Task.immediate {
      handler(await $question.withValue(question) { await ask() })
    }
  }

  /// The default of the `async` form.
  nonisolated(nonsending) static func askHandlerForm<Answer: Sendable>(
    of object: any URLSessionDelegate, _ method: DelegateMethod, absent: Answer,
    _ ask: (@escaping @Sendable (Answer) -> Void) -> Void
  ) async -> Answer {
    if question?.isAbout(object, method, .async) == true {
      DelegateProbe.reachedDefault(of: object, method)
      return absent
    }
    let question = Question(object: ObjectIdentifier(object), method: method, form: .handler)
    let single = SingleAnswer()
    return await withUnsafeContinuation { continuation in
      $question.withValue(question) {
        ask { answer in if single.take() { continuation.resume(returning: answer) } }
      }
    }
  }
}

/// An answer to a challenge, as one value.
struct ChallengeAnswer: Sendable {
  let disposition: URLSession.AuthChallengeDisposition
  let credential: URLCredential?

  init(_ disposition: URLSession.AuthChallengeDisposition, _ credential: URLCredential?) {
    self.disposition = disposition
    self.credential = credential
  }

  /// The answer without a delegate.
  static let byDefault = ChallengeAnswer(.performDefaultHandling, nil)
}

/// An answer to a delayed request, as one value.
struct DelayedRequestAnswer: Sendable {
  let disposition: URLSession.DelayedRequestDisposition
  let request: URLRequest?

  /// The answer without a delegate.
  static let byDefault = DelayedRequestAnswer(disposition: .continueLoading, request: nil)
}
