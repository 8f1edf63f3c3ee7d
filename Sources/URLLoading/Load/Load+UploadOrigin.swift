internal import URLLoadingBase

/// Uploads whose server names a resource of another origin.
extension Load {
  /// Asks the delegate whether an upload goes to a resource of another origin, as it is asked about a redirect: what the instance sends is
  /// retained until there is an answer. Without a delegate that answers such questions the upload stays where it is: unlike a redirect,
  /// nobody has to follow this for the request to have a result.
  /// - Parameters:
  ///   - response: what names the resource.
  ///   - go: called once, with whether the upload may go there; it replays what was retained.
  func askLeave(
    to resource: URL, namedBy response: HTTPURLResponse, attempt: Int, then go: @escaping @Sendable (Bool) -> Void
  ) {
    let now = MonotonicInstant.now
    let question = update { state -> LeaveQuestion? in
      guard let upload = state.uploads.resumable, let delegate = state.delegates.task, let task = state.task,
        let delivery = state.delivery, case .ask(let flow) = state.machine.redirected(attempt: attempt, at: now)
      else {
        state.uploads.leave(to: resource, by: nil)
        return nil
      }
      state.apply(flow)
      state.uploads.askLeave()
      return LeaveQuestion(
        request: UploadRequests.ask(about: resource, as: upload.request), delegate: delegate, task: task,
        delivery: delivery)
    }
    guard let question else { return go(false) }
    decide(awaiting: { question.delivery.addQuestion(ask: { self.ask(question, about: response, $0) }, then: $0) }) {
      (decision: URLRequest?) in self.leaveDecided(decision, to: resource, attempt: attempt, then: go)
    }
  }

  private struct LeaveQuestion: Sendable {
    let request: URLRequest
    let delegate: DelegateReceivers<any URLSessionTaskDelegate>
    let task: URLSessionTask
    let delivery: Delivery
  }

  private func ask(
    _ question: LeaveQuestion, about response: HTTPURLResponse, _ answer: @escaping @Sendable (URLRequest?) -> Void
  ) {
    let isAsked = question.delegate.asks(
      .redirect,
      {
        $0.urlSession(
          session, task: question.task, willPerformHTTPRedirection: response, newRequest: question.request,
          completionHandler: $1)
      }, answer: answer)
    if !isAsked { answer(nil) }
  }

  private func leaveDecided(
    _ decision: URLRequest?, to resource: URL, attempt: Int, then go: @Sendable (Bool) -> Void
  ) {
    let now = MonotonicInstant.now
    let isDue = update { state in
      guard state.uploads.asksLeave,
        case .replay(let flow) = state.machine.redirectDecided(attempt: attempt, follow: false, at: now)
      else { return false }
      state.uploads.leaveIsDecided()
      state.uploads.leave(to: resource, by: decision)
      state.apply(flow)
      return true
    }
    guard isDue else { return }
    go(decision?.url != nil)
    lookAtDeadline(now)
  }

  /// The server wants a login, or the request elsewhere: what it has announced is of no use, and no answer is waited for.
  func dropLeave(attempt: Int) {
    guard plan.kind == .upload else { return }
    let now = MonotonicInstant.now
    let isDropped = update { state in
      guard state.uploads.asksLeave,
        case .replay(let flow) = state.machine.redirectDecided(attempt: attempt, follow: false, at: now)
      else { return false }
      state.uploads.leaveIsDecided()
      state.apply(flow)
      return true
    }
    if isDropped { replayRetainedEvents(attempt: attempt) }
  }
}
