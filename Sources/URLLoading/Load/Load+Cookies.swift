internal import URLLoadingBase

/// Cookies: those of the storage go with each request, and those of each response into it.
extension Load {
  // MARK: The request

  /// Asks a storage of the program's own by the method that takes a task, as Apple's system does.
  func takeThroughStages(
    _ request: URLRequest, withCookiesOf storage: HTTPCookieStorage, for reason: AttemptReason,
    after earlier: EarlierAttempt?
  ) -> AttemptStart? {
    let (task, previous, attempt) = update { state in
      let previous = earlier ?? EarlierAttempt(state.attempt)
      // The storage looks at the task's current request.
      state.attempt.request = request
      return (state.task, previous, state.machine.attempt)
    }
    guard let task else { return nil }
    return decide(awaiting: { storage.getCookiesFor(task, completionHandler: $0) }, stopping: attempt) { cookies in
      guard self.read({ $0.machine.attempt == attempt }) else { return nil }
      var prepared = request
      let field = cookies.flatMap { $0.isEmpty ? nil : HTTPCookie.field(for: $0) }
      if let field { prepared.setCookies(field) }
      let stage = CookieStage(added: field?.text)
      return self.takeThroughStages(prepared, with: stage, for: reason, after: previous)
    }
  }

  /// The storage that a request gets cookies of, unless it brings its own.
  private func cookieStorage(for request: borrowing URLRequest) -> HTTPCookieStorage? {
    guard let storage = session.parts.sentCookies, request.httpShouldHandleCookies,
      request.value(forHTTPHeaderField: "Cookie") == nil
    else { return nil }
    return storage
  }

  /// The storage if it is a subclass, whose methods may block.
  func subclassedCookieStorage(for request: borrowing URLRequest) -> HTTPCookieStorage? {
    guard session.parts.hasSubclassedCookieStorage, request.urlFacts.hasHost else { return nil }
    return cookieStorage(for: request)
  }

  /// Gives a request the cookies of the storage.
  func addCookies(to request: inout URLRequest) -> CookieStage {
    guard let storage = cookieStorage(for: request), let url = request.url,
      let cookies = storage.cookieField(
        for: url, mainDocumentURL: request.mainDocumentURL, partition: request.cookiePartitionIdentifier)
    else { return CookieStage() }
    request.setCookies(cookies)
    return CookieStage(added: cookies.text)
  }

  /// The task's request gets the cookies that a challenge has set: the instance takes them over when it sends the request again. A storage
  /// of the program's own is asked when an attempt begins, and not here.
  func renewCookies(attempt: Int) {
    guard !session.parts.hasSubclassedCookieStorage else { return }
    let (sent, cookies) = read { ($0.attempt.request, $0.attempt.cookies) }
    guard var request = sent, cookies.mayRenew(request) else { return }
    cookies.withdraw(from: &request)
    let renewed = addCookies(to: &request)
    guard renewed != cookies else { return }
    update { state in
      guard state.machine.attempt == attempt else { return }
      state.attempt.request = request
      state.attempt.cookies = renewed
    }
  }

  // MARK: The response

  /// Takes the cookies that a response sets, and whether its host wants secure connections alone.
  func storeCookies(of response: URLResponse) {
    guard let response = response as? HTTPURLResponse else { return }
    recordTransportSecurity(of: response)
    guard let storage = session.parts.storedCookies else { return }
    let cookies = response.setCookies
    guard !cookies.isEmpty, let url = response.url, speaker(of: response).setsCookies,
      let request = read({ $0.attempt.request }), request.httpShouldHandleCookies
    else { return }
    guard !session.parts.hasSubclassedCookieStorage else {
      let accepted = HTTPCookieStorage.cookies(
        setCookies: cookies, from: url, mainDocumentURL: request.mainDocumentURL,
        policy: session.values.httpCookieAcceptPolicy)
      if !accepted.isEmpty, let task = read({ $0.task }) { storage.storeCookies(accepted, for: task) }
      return
    }
    storage.store(
      setCookies: cookies, from: url, mainDocumentURL: request.mainDocumentURL,
      policy: session.values.httpCookieAcceptPolicy, partition: request.cookiePartitionIdentifier)
  }
}
