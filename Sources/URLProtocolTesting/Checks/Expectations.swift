import URLLoading

/// What many checks expect.
extension CheckContext {
  /// A load gave the whole resource.
  func expectWhole(_ outcome: LoadOutcome, of resource: Resource, by kind: some CustomStringConvertible) throws {
    let url = resource.url
    try expectSuccess(outcome, url, "a load by \(kind)")
    try expectBody(outcome, resource.bytes, url, "by \(kind)")
    try expectResponse(outcome.response, of: resource)
    if let count = outcome.countOfBytesReceived {
      try expect(
        count == Int64(resource.count), url, "countOfBytesReceived to be \(resource.count)", "it was \(count)",
        "The bytes given to the client must be those of the resource, once each.")
    }
  }

  func expectSuccess(_ outcome: LoadOutcome, _ url: URL, _ what: String) throws {
    try expect(
      outcome.error == nil, url, "\(what) to succeed", "it ended with \(outcome.errorText)",
      "Look at what startLoading() does with this request.")
    let status = outcome.status ?? 200
    try expect(
      (200..<300).contains(status), url, "\(what) to succeed", "the status was \(status)",
      "Look at what the server or the fixture says to this request.")
  }

  /// A load ended with -999, or, of an async function, with `CancellationError`.
  func expectCancelled(
    _ outcome: LoadOutcome, _ url: URL?,
    advice: @autoclosure () -> String = "What the instance reports after stopLoading() does not count."
  ) throws {
    try expect(
      outcome.code == .cancelled || outcome.error is CancellationError, url, "the error -999 (cancelled)",
      "there was \(outcome.errorText)", advice())
  }

  func expectBody(_ outcome: LoadOutcome, _ bytes: Data, _ url: URL, _ what: String) throws {
    let difference = TestBytes.difference(outcome.body, from: bytes)
    try expect(
      difference == nil, url, "exactly the \(bytes.count) bytes \(what)", difference ?? "",
      "Each didLoad must carry new bytes only, in their order; and finish may be told when all were sent.")
  }

  /// The head of a response to a request for the whole.
  func expectResponse(_ response: URLResponse?, of resource: Resource) throws {
    let url = resource.url
    guard let response else {
      throw failure(
        url, expected: "a response", happened: "there was none",
        advice: "Report one with urlProtocol(_:didReceive:cacheStoragePolicy:).")
    }
    let canonical = fixture.protocolClass.canonicalRequest(for: resource.request()).url
    try expect(
      response.url == url || response.url == canonical, url, "the response to have the request's URL",
      "it has \(response.url?.redactedDescription ?? "none")", "Make the response with request.url.")
    let length = response.expectedContentLength
    try expect(
      length == -1 || length == Int64(resource.count), url,
      "an expectedContentLength of \(resource.count), or -1 for one that is not known", "it was \(length)",
      "A wrong length spoils progress, and makes downloads start again.")
    try expect(
      response.mimeType?.isEmpty != true, url, "a MIME type, or nil for one that is not known", "it was empty",
      "Make the response with nil, or application/octet-stream.")
    try expect(
      response.contentRange == nil, url, "no contentRange in a response that carries the whole",
      "it was \(response.contentRange?.fieldValue ?? "")", "Only an answer with a part of the resource has one.")
  }

  /// A load gave a part of the resource.
  func expectPart(_ outcome: LoadOutcome, _ part: Range<Int>, of resource: Resource, _ field: String) throws {
    let url = resource.url
    try expectSuccess(outcome, url, "a request with Range: \(field)")
    guard let range = outcome.response?.contentRange else {
      throw failure(
        url, expected: "a contentRange of \(part.lowerBound)-\(part.upperBound - 1) for Range: \(field)",
        happened: "there was none, and \(outcome.body.count) bytes came",
        advice: "A class that declares .byteRanges must look at request.byteRange(ofLength:validators:).")
    }
    try expect(
      outcome.status ?? 206 == 206, url, "status 206 for Range: \(field)", "it was \(outcome.status ?? 0)",
      "A part has a status of its own.")
    try expect(
      range.firstByte == Int64(part.lowerBound) && range.lastByte == Int64(part.upperBound - 1)
        && (range.completeLength ?? Int64(resource.count)) == Int64(resource.count), url,
      "contentRange bytes \(part.lowerBound)-\(part.upperBound - 1)/\(resource.count) for Range: \(field)",
      "it was \(range.fieldValue)", "Both ends count as part of the range, from 0.")
    let length = outcome.response?.expectedContentLength ?? -1
    try expect(
      length == -1 || length == Int64(part.count), url, "an expectedContentLength of \(part.count), that of the part",
      "it was \(length)", "The expected length is what follows, not what the whole has.")
    try expectBody(outcome, resource.bytes[part], url, "of Range: \(field)")
  }
}
