import URLLoading

/// What the checks of challenges expect.
extension CheckContext {
  /// Makes a resource of so many bytes that wants a login.
  func protected(_ count: Int) async throws -> LoginPlace {
    let name = Self.newName()
    let bytes = TestBytes.make(count, seed: name)
    step("the fixture placed \(count) bytes behind a login", nil)
    return LoginPlace(try await fixture.protected(bytes, named: name), bytes)
  }

  /// The delegate was asked so many times for a credential by each server and proxy that asked at all.
  func expectAsked(_ session: CheckSession, _ place: LoginPlace, count: Int, _ what: String) throws {
    let counts = session.recorder.questions.value.challengeCounts.values
    let wrong: Int? = counts.isEmpty ? 0 : counts.first { $0 != count }
    try expect(
      wrong == nil, place.resource.url, "\(count) challenge \(what)", "there were \(wrong ?? 0)",
      "Ask with urlProtocol(_:didReceive:) or the writer's challenge(_:), once for each credential that is needed.")
    try expectCounts(session, place)
  }

  /// Each challenge says how many credentials for its protection space were wrong before it in the only load of the session.
  func expectCounts(_ session: CheckSession, _ place: LoginPlace) throws {
    let spaces = session.recorder.questions.value.failureCounts
    try expect(
      !spaces.isEmpty, place.resource.url, "a challenge", "there was none",
      "Ask with urlProtocol(_:didReceive:) or the writer's challenge(_:).")
    for counts in spaces.values {
      try expect(
        counts == Array(0..<counts.count), place.resource.url,
        "challenges whose previousFailureCount is 0, and then one more for each credential that was wrong",
        "they had \(counts)",
        "Delegates give up by this count, and the credential storage answers where it is 0.")
    }
  }

  /// The end of the one load of a session, which was not let in.
  func expectRefused(_ outcome: LoadOutcome, of session: CheckSession, _ place: LoginPlace, _ what: String) throws {
    let url = place.resource.url
    let start = place.resource.bytes.prefix(64)
    try expect(
      outcome.body.range(of: start) == nil, url, "nothing of the resource \(what)",
      "\(outcome.body.count) bytes of it came",
      "Look at what the answer to the challenge was before anything is sent.")
    if let status = outcome.status {
      return try expect(
        status == 401 || status == 403, url, "status 401 or 403 \(what)", "it was \(status)", "Nobody was let in.")
    }
    // A load that fails may have sent something first, which functions such as data(for:) do not return.
    let sent = session.ledger.bytes
    try expect(
      sent == 0, url, "nothing of the resource \(what)", "\(sent) bytes were sent",
      "Look at what the answer to the challenge was before anything is sent.")
    let codes: [URLError.Code?] = [.userAuthenticationRequired, .userCancelledAuthentication]
    try expect(
      codes.contains(outcome.code), url, "URLError.userAuthenticationRequired (-1013) \(what)",
      "there was \(outcome.errorText)",
      "Programs tell errors apart by their codes: nothing there, no permission, no connection.")
  }

  /// A protection space is the one that the fixture names.
  func expectSpace(_ space: URLProtectionSpace, _ place: LoginPlace) throws {
    let expected = place.space
    let members: [(name: String, expected: String, value: String)] = [
      ("host", expected.host, space.host), ("port", "\(expected.port)", "\(space.port)"),
      ("protocol", expected.protocol ?? "nil", space.protocol ?? "nil"),
      ("realm", expected.realm ?? "nil", space.realm ?? "nil"),
      ("authenticationMethod", expected.authenticationMethod, space.authenticationMethod),
      ("isProxy()", "\(expected.isProxy())", "\(space.isProxy())"),
    ]
    for member in members {
      try expect(
        member.value == member.expected, place.resource.url,
        "a protection space whose \(member.name) is \(member.expected)", "it is \(member.value)",
        "Credentials are kept and found by the protection space: it has to say who asks, and for what.")
    }
  }

  // MARK: Cancelling

  /// Cancels a data task and a download while their delegate has not answered. It answers later, to no effect.
  /// - Parameter resource: what is loaded once the delegate has answered.
  func cancelling(_ resource: Resource, while answers: DelegateAnswers, from url: URL? = nil) async throws {
    for isDownload in [false, true] {
      let session = session(answers: answers)
      var request = resource.request()
      request.url = url ?? resource.url
      let task = session.task(request, isDownload: isDownload)
      task.resume()
      step("the delegate's being asked was waited for", request.url)
      await session.waitForQuestion(of: task)
      let count = session.recorder.questions.value.count
      try expect(
        count == 1, request.url, "the delegate to be asked once", "it was asked \(count) times",
        "Report what is to be decided, and wait for the decision.")
      // One that waits does so for as long as it takes.
      _ = await session.ledger.entries.wait(for: FlowLimits.watch) { Ledger.bytes(in: $0) > 0 }
      step("it was cancelled while the delegate was asked", request.url)
      task.cancel()
      try expectCancelled(try await session.end(of: task), resource.url)
      session.recorder.answerDeferredQuestions()
      try await session.close()
      let bytes = session.ledger.bytes
      try expect(
        bytes == 0, request.url, "nothing of the body while the delegate decides", "\(bytes) bytes came",
        "The instance has to wait for the answer.")
    }
  }
}
