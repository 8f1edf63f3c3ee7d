internal import URLLoadingBase

/// Challenges: answered by the credential in the URL, else by the credential storage, else by the delegate.
extension Load {
  func challenged(_ challenge: URLAuthenticationChallenge, attempt: Int) {
    dropLeave(attempt: attempt)
    let action = update { state in
      let mayFollowResponse = plan.kind.isDuplex || plan.background != nil
      let action = state.machine.challenged(attempt: attempt, mayFollowResponse: mayFollowResponse)
      if state.asks(action) {
        if let response = challenge.failureResponse { state.metrics.responded(response) }
        state.events?.record(.challenged(challenge))
      }
      return action
    }
    guard asks(action) else { return }
    if let response = challenge.failureResponse {
      storeCookies(of: response)
      // The origin may have answered behind a proxy that has accepted its own.
      if case .origin = speaker(of: response), read({ $0.attempt.credentials.awaitsAcceptance }) {
        storeCredential(response)
      }
      renewCookies(attempt: attempt)
    }
    let url = read { $0.attempt.request?.url }
    if let url, let credential = ChallengeRules.credential(for: challenge, in: url, orOf: plan.request.url) {
      return answer(challenge, .useCredential, credential, attempt: attempt)
    }
    decide(awaiting: { askStorage(about: challenge, $0) }) { (credential: URLCredential?) in
      if let credential {
        self.answer(challenge, .useCredential, credential, attempt: attempt)
      } else {
        self.askDelegate(about: challenge, attempt: attempt)
      }
    }
  }

  /// The default credential of the protection space is used once, without asking the delegate.
  private func askStorage(
    about challenge: URLAuthenticationChallenge, _ answer: @escaping @Sendable (URLCredential?) -> Void
  ) {
    guard ChallengeRules.mayAskStorage(about: challenge), let storage = session.values.urlCredentialStorage,
      let task = read({ $0.task })
    else { return answer(nil) }
    storage.getDefaultCredential(for: challenge.protectionSpace, task: task) { credential in
      answer(credential?.hasPassword == true ? credential : nil)
    }
  }

  private func askDelegate(about challenge: URLAuthenticationChallenge, attempt: Int) {
    let (delegates, task, delivery) = read { ($0.delegates, $0.task, $0.delivery) }
    guard let task, let delivery, delegates.task != nil || delegates.session != nil else {
      return answer(challenge, .performDefaultHandling, nil, attempt: attempt)
    }
    decide(
      awaiting: { answer in
        delivery.addQuestion(
          ask: { self.ask(delegates, task: task, challenge: challenge, answer: $0) }, then: answer)
      },
      then: { (given: ChallengeAnswer) in
        self.answer(challenge, given.disposition, given.credential, attempt: attempt)
      })
  }

  /// A response was received: it accepts the preceding credential, unless who speaks rejects it.
  func storeCredential(_ response: URLResponse) {
    let (used, task) = update { ($0.attempt.credentials.takeAnswer(), $0.task) }
    let status = (response as? HTTPURLResponse)?.statusCode
    guard let used, let task, speaker(of: response).accepts(used.space, status: status) else { return }
    session.values.urlCredentialStorage?.setDefaultCredential(used.credential, for: used.space, task: task)
  }

  private func ask(
    _ delegates: SessionDelegates, task: URLSessionTask, challenge: URLAuthenticationChallenge,
    answer: @escaping @Sendable (ChallengeAnswer) -> Void
  ) {
    let session = session
    if ChallengeRules.isAboutConnection(challenge.protectionSpace), let delegate = delegates.session {
      let isAsked = delegate.first.asks(
        .sessionChallenge, isLast: false,
        { delegate, take in delegate.urlSession(session, didReceive: challenge) { take(ChallengeAnswer($0, $1)) } },
        answer: answer)
      if isAsked { return }
    }
    guard let delegates = delegates.task else { return answer(.byDefault) }
    delegates.ask(
      .challenge,
      { delegate, take in
        delegate.urlSession(session, task: task, didReceive: challenge) { take(ChallengeAnswer($0, $1)) }
      }, answer: answer)
  }

  private func answer(
    _ challenge: URLAuthenticationChallenge, _ disposition: URLSession.AuthChallengeDisposition,
    _ credential: URLCredential?, attempt: Int
  ) {
    events?.report(.answered(challenge, disposition, credential))
    if disposition == .cancelAuthenticationChallenge {
      let task = read { $0.task }
      if let task { cancel(task, because: failure(.cancelled, "The delegate cancelled an authentication challenge.")) }
      return
    }
    let kept = disposition == .useCredential ? credential.flatMap { ChallengeRules.keeps($0) ? $0 : nil } : nil
    update { $0.attempt.credentials.answered(challenge.protectionSpace, with: kept) }
    guard passChallenge(attempt: attempt), let sender = challenge.sender else { return }
    switch (disposition, credential) {
    case (.useCredential, let credential?): use(credential, for: challenge, sender, attempt: attempt)
    case (.useCredential, nil): sender.continueWithoutCredential(for: challenge)
    case (.rejectProtectionSpace, _): sender.rejectProtectionSpaceAndContinue(with: challenge)
    case (.performDefaultHandling, _), (.cancelAuthenticationChallenge, _):
      if let proposed = challenge.proposedCredential, challenge.previousFailureCount == 0, proposed.hasPassword {
        use(proposed, for: challenge, sender, attempt: attempt)
      } else {
        sender.performDefaultHandling(for: challenge)
      }
    }
  }

  /// Resumes the instance with a credential, which it sends in another request where a response asked for it.
  private func use(
    _ credential: URLCredential, for challenge: URLAuthenticationChallenge,
    _ sender: any URLAuthenticationChallengeSender, attempt: Int
  ) {
    if ChallengeRules.authorizes(challenge.protectionSpace) { update { $0.attempt.credentials.authorized() } }
    if challenge.failureResponse != nil {
      update { state in
        guard state.machine.attempt == attempt, let request = state.attempt.request else { return }
        state.endTransaction()
        state.metrics.beginTransaction(request)
        state.uploads.restarted()
      }
    }
    sender.use(credential, for: challenge)
  }

  /// The challenge was answered or withdrawn: opens the instance's gate again, and feeds the events that it sent meanwhile.
  @discardableResult
  func passChallenge(attempt: Int) -> Bool {
    let now = MonotonicInstant.now
    let passes = update { state in
      guard case .pass(let flow) = state.machine.challengeAnswered(attempt: attempt, at: now) else { return false }
      state.apply(flow)
      return true
    }
    guard passes else { return false }
    replayRetainedEvents(attempt: attempt)
    lookAtDeadline(now)
    return true
  }
}
