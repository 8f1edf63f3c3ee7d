internal import URLLoadingBase

/// Redirects: the delegate is asked, then the load goes elsewhere, or takes the redirect's own response.
extension Load {
  /// - Parameter responseFollows: whether the instance sends the response as well, in case the redirect is refused.
  func redirected(to request: URLRequest, response: URLResponse, responseFollows: Bool, attempt: Int) {
    dropLeave(attempt: attempt)
    let now = MonotonicInstant.now
    var proposed = request
    var claim: URLCacheClaim?
    let (action, delegate, task, delivery) = update { state in
      let action = state.machine.redirected(attempt: attempt, at: now)
      if state.asks(action) {
        state.metrics.responded(response)
        state.attempt.cookies.withdraw(from: &proposed)
        state.attempt.listenerFields.withdraw(from: &proposed)
        claim = state.attempt.cache.withdraw(from: &proposed)
      }
      return (action, state.delegates.task, state.task, state.delivery)
    }
    claim?.end(.notStored)
    guard asks(action, redirectedTo: request.url) else { return }
    storeCookies(of: response)
    // A redirect accepts the credential as any other response does.
    storeCredential(response)
    guard !plan.isSentOnce else { return refuse(response, follows: responseFollows, attempt: attempt, at: now) }
    guard let delegate, let task, let delivery else {
      events?.report(.redirected(response, proposed: proposed, followed: proposed))
      return decided(proposed, proposed: proposed, attempt: attempt)
    }
    let shown = HTTPRedirect.response(to: proposed, for: response)
    decide(
      asking: delegate, .redirect, by: delivery,
      { [proposed] in
        $0.urlSession(
          self.session, task: task, willPerformHTTPRedirection: shown, newRequest: proposed, completionHandler: $1)
      },
      then: { [proposed] (decision: URLRequest?) in
        self.events?.report(.redirected(response, proposed: proposed, followed: decision))
        guard let decision else {
          return self.refuse(response, follows: responseFollows, attempt: attempt, at: MonotonicInstant.now)
        }
        self.decided(decision, proposed: proposed, attempt: attempt)
      })
  }

  private func decided(_ request: URLRequest, proposed: URLRequest, attempt: Int) {
    let now = MonotonicInstant.now
    // A stream that was read cannot be sent again.
    let needsStream = update { $0.uploads.redirected(to: request, from: $0.attempt.request) }
    guard needsStream else { return follow(request, proposed: proposed, attempt: attempt, at: now) }
    decide(awaiting: { requestBodyStream($0) }) { (stream: InputStream?) in
      guard let stream else {
        return self.abort(
          self.failure(
            .requestBodyStreamExhausted, "A redirect needs the body again, and the delegate has no new stream."))
      }
      var request = request
      request.httpBodyStream = stream
      self.update { $0.uploads.replace(with: .stream(stream)) }
      self.follow(request, proposed: proposed, attempt: attempt, at: MonotonicInstant.now)
    }
  }

  private func follow(_ request: URLRequest, proposed: URLRequest, attempt: Int, at now: MonotonicInstant) {
    let action = update { state in
      let action = state.machine.redirectDecided(attempt: attempt, follow: true, at: now)
      if case .open = action {
        state.stopInstance()
        // The part of a resumed upload begins somewhere in its body.
        state.counts.sendsAnew(from: state.uploads.firstByte)
      }
      return action
    }
    guard case .open = action else { return }
    lookAtDeadline(now)
    open(request, for: .redirect(isTrusted: request.url != proposed.url))
  }

  /// The redirect's response is the result; its body follows if the instance sends one.
  private func refuse(_ response: URLResponse, follows: Bool, attempt: Int, at now: MonotonicInstant) {
    let action = update { state in
      let action = state.machine.redirectDecided(attempt: attempt, follow: false, at: now)
      guard case .replay(let flow) = action else { return action }
      if case .response = state.attempt.retained.first {
        state.apply(flow)
      } else if follows {
        state.apply(flow)
      } else {
        state.attempt.retained = [.response(response), .finished]
        state.machine.retained(2)
      }
      return action
    }
    switch action {
    case .ignore, .open: break
    case .fail(let reason): abort(reason)
    case .replay:
      replayRetainedEvents(attempt: attempt)
      lookAtDeadline(now)
    }
  }
}
