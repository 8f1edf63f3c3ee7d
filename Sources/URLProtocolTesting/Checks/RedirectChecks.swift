import URLLoading

/// Redirects, for fixtures that have some.
extension URLProtocolConformance {
  private static let size = 70_000

  static let redirects = [
    ConformanceCheck("a redirect leads to the new URL", abilities: .redirects) { context, _ in
      let resource = try await context.place(size)
      let url = try await context.redirect(to: resource.url)
      for kind in LoadKind.allCases {
        let session = context.session()
        let outcome = try await session.load(URLRequest(url: url), by: kind)
        try context.expectRedirect(session, from: url, to: resource.url)
        try context.expectWhole(outcome, of: resource, by: "\(kind), after a redirect")
        try await session.close()
      }
    },
    ConformanceCheck("a refused redirect gives its own response", abilities: .redirects) { context, _ in
      let resource = try await context.place(size)
      let url = try await context.redirect(to: resource.url)
      for kind in LoadKind.allCases {
        let session = context.session(answers: DelegateAnswers(followsRedirects: false))
        let outcome = try await session.load(URLRequest(url: url), by: kind)
        // From now on nothing more comes.
        try await session.close()
        try context.expectRedirect(session, from: url, to: resource.url)
        try context.expectNotFollowed(outcome, session, from: url, to: resource, "by \(kind)")
      }
    },
    ConformanceCheck("a redirect to itself comes to an end", abilities: .redirects) { context, session in
      let url = try await context.redirect(to: nil)
      let outcome = try await session.load(URLRequest(url: url), by: .dataDelegate)
      try context.expect(
        outcome.code == .httpTooManyRedirects, url, "URLError.httpTooManyRedirects (-1007)",
        "there was \(outcome.errorText)",
        "Report each redirect, and let the session count: it is the one that follows them.")
    },
    ConformanceCheck("cancel while the delegate is asked about a redirect", abilities: .redirects) { context, _ in
      let resource = try await context.place(size)
      let url = try await context.redirect(to: resource.url)
      try await context.cancelling(resource, while: DelegateAnswers(areDeferred: true), from: url)
      let next = context.session()
      let outcome = try await next.load(URLRequest(url: url))
      try context.expectWhole(outcome, of: resource, by: "data(for:), after one that was cancelled")
    },
  ]
}

extension CheckContext {
  /// Makes a URL that leads to another one, or to itself.
  fileprivate func redirect(to url: URL?) async throws -> URL {
    step("the fixture made a redirect", url)
    return try await fixture.redirect(to: url, named: Self.newName())
  }

  /// The delegate was asked once, about this redirect.
  fileprivate func expectRedirect(_ session: CheckSession, from url: URL, to target: URL) throws {
    let asked = session.recorder.questions.value.redirects
    try expect(
      asked.count == 1, url, "one redirect", "there were \(asked.count)",
      "Report it with urlProtocol(_:wasRedirectedTo:redirectResponse:) or the writer's redirect(to:response:): it is the session that follows."
    )
    guard let (response, request) = asked.first else { return }
    try expect(
      request.url == target, url, "a redirect to \(target.redactedDescription)",
      "it led to \(request.url?.redactedDescription ?? "nowhere")", "The new request has the new URL.")
    try expect(
      response.url == url, url, "the redirect's response to have the URL that was asked for",
      "it has \(response.url?.redactedDescription ?? "none")", "The response is that of the old URL.")
  }

  /// The redirect's response is the result.
  fileprivate func expectNotFollowed(
    _ outcome: LoadOutcome, _ session: CheckSession, from url: URL, to target: Resource, _ what: String
  ) throws {
    try expect(
      outcome.error == nil, url, "a refused redirect to be no error \(what)", "it ended with \(outcome.errorText)",
      "After the redirect the instance sends its response and finishes, or nothing at all.")
    try expect(
      outcome.response?.url == url, url, "the redirect's response \(what)",
      "it was that of \(outcome.response?.url?.redactedDescription ?? "nothing")",
      "The response is the one that was reported with the redirect.")
    try expect(
      outcome.body.range(of: target.bytes.prefix(64)) == nil, url, "nothing of the new URL's body \(what)",
      "\(outcome.body.count) bytes of it came", "The instance that reports a redirect must not follow it.")
    try expect(
      session.ledger.bytes == outcome.body.count, url, "nothing of the new URL's body \(what)",
      "\(session.ledger.bytes - outcome.body.count) bytes were sent behind the redirect",
      "The instance that reports a redirect must not follow it.")
    try expect(
      session.ledger.entries.value.count == 1, url, "no other load \(what)",
      "there were \(session.ledger.entries.value.count - 1)",
      "It is the session that follows redirects, where it is allowed to.")
  }
}
