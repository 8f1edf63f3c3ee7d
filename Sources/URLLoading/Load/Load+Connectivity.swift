internal import URLLoadingBase

/// Waiting for connectivity: an attempt that could not connect is followed by another when the network has changed, or after a time.
extension Load {
  /// Whether a failure means that there is no network, in a class that declares to report that
  /// (``URLProtocol/Capabilities/connectivity``).
  func lacksConnectivity(_ error: any Error) -> Bool {
    guard session.values.waitsForConnectivity else { return false }
    let error = error as NSError
    guard error.domain == NSURLErrorDomain, error.code == URLError.Code.notConnectedToInternet.rawValue
    else { return false }
    return read { $0.attempt.protocolClass }?.capabilities.contains(.connectivity) == true
  }

  /// The attempt has failed, and another follows.
  func awaitConnectivity(_ terms: ConnectivityWait.Terms) {
    // First, so that the delegate gets this before any event of the next attempt.
    if terms.tellsDelegate { tellWaiting() }
    update { state in
      // The load may have ended meanwhile.
      guard state.machine.awaitsConnectivity else { return }
      let number = state.machine.attempt
      state.attempt.network?.begin(atMost: terms.limit) { [weak self] in self?.networkChanged(attempt: number) }
    }
  }

  /// Tells the delegate that the task waits.
  func tellWaiting() {
    let (delegate, task, delivery) = read { ($0.delegates.task, $0.task, $0.delivery) }
    guard let delegate, let task, let delivery else { return }
    delivery.add {
      delegate.tell(.waiting) { $0.urlSession(self.session, taskIsWaitingForConnectivity: task) }
    }
  }

  private func networkChanged(attempt: Int) {
    let now = MonotonicInstant.now
    let action = update { state in state.machine.networkChanged(attempt: attempt, at: now) }
    if action == .open { reconnect(at: now) }
  }

  /// The network may be there again.
  func reconnect(at now: MonotonicInstant) { beginAgain(because: .networkChanged, at: now) }

  /// Begins an attempt for the same request: by the same class, with the cookies of now and the whole body.
  func beginAgain(because reason: URLSession.EventRetryReason, at now: MonotonicInstant) {
    events?.report(.retries(reason))
    lookAtDeadline(now)
    let (request, cookies, fields, caching, used, attempt) = update { state in
      (
        state.attempt.request, state.attempt.cookies, state.attempt.listenerFields, state.attempt.cache.takeCaching(),
        state.uploads.sendsAgain(), state.machine.attempt
      )
    }
    guard var request else { return }
    // The cache is asked anew. Its conditions would be taken for the program's own, which gets a 304 or a part then.
    caching?.removeConditions(from: &request)
    caching?.claim?.end(.notStored)
    cookies.withdraw(from: &request)
    fields.withdraw(from: &request)
    // An unopened stream still has all of its bytes.
    guard let stream = used?.stream, stream.streamStatus != .notOpen else {
      return open(request, for: .reconnection)
    }
    decide(awaiting: { requestBodyStream($0) }, stopping: attempt) { [request] (stream: InputStream?) in
      guard let stream else {
        return self.abort(
          self.failure(
            .requestBodyStreamExhausted, "The body must be sent again, and the delegate has no new stream for it."))
      }
      self.update { $0.uploads.replace(with: .stream(stream)) }
      var request = request
      request.httpBodyStream = stream
      self.open(request, for: .reconnection)
    }
  }
}
