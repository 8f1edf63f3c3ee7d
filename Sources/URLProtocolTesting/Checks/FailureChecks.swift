import URLLoading

extension URLProtocolConformance {
  static let failures = [
    ConformanceCheck("a missing resource fails by code", abilities: .missing) { context, session in
      let url = try await context.fixture.missing()
      for kind in LoadKind.allCases {
        let outcome = try await session.load(URLRequest(url: url), by: kind)
        try context.expectMissing(outcome, url, "by \(kind)")
      }
    },
    ConformanceCheck(
      "a range of a missing resource fails by code", capabilities: .byteRanges, abilities: .missing
    ) { context, session in
      let url = try await context.fixture.missing()
      let resource = Resource(url: url, bytes: Data())
      let outcome = try await session.load(resource.request(["Range": "bytes=5-9"]))
      try context.expectMissing(outcome, url, "with a range")
    },
  ]
}

extension CheckContext {
  fileprivate func expectMissing(_ outcome: LoadOutcome, _ url: URL, _ what: String) throws {
    if let status = outcome.status {
      return try expect(
        status == 404 || status == 410, url, "status 404 \(what)", "it was \(status)", "Nothing is at this URL.")
    }
    try expect(
      outcome.code == .fileDoesNotExist, url, "URLError.fileDoesNotExist (-1100) \(what)",
      "there was \(outcome.errorText)",
      "Programs tell errors apart by their codes: nothing there, no permission, no connection.")
    let error = outcome.error as? URLError
    try expect(
      error?.failingURL == url, url, "the error's failingURL to be the URL",
      "it was \(error?.failingURL?.redactedDescription ?? "nil")",
      "Make the error with URLError(_:message:url:).")
    let message = error?.localizedDescription ?? ""
    try expect(
      !message.isEmpty && url.query().map { message.contains($0) } != true, url,
      "a message without the URL's query", "it was \"\(message)\"",
      "A message says what was wrong, and is logged: the URL is the error's failingURL, or URL.redactedDescription.")
  }
}
