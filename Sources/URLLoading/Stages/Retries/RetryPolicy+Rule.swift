internal import URLLoadingCurlTransport
internal import URLLoadingHTTPSemantics

/// The rule: which attempts are followed by another, and when. The load and the command go by it.
extension URLSessionConfiguration.RetryPolicy {
  /// Seconds until another attempt, or nil for none.
  /// - Parameters:
  ///   - ending: how the last attempt ended.
  ///   - request: what it sent.
  ///   - number: the number of the retry, from 1.
  ///   - now: what dates are compared with.
  ///   - generator: makes the time random.
  package func delay(
    after ending: RetriedEnding, of request: RetriedRequest, retry number: Int, at now: Date = Date(),
    using generator: inout some RandomNumberGenerator
  ) -> TimeInterval? {
    guard number <= maximumRetries, mayRepeat(request, after: ending) else { return nil }
    if case .status(_, retryAfter: let field?) = ending, let wait = Self.seconds(field, at: now) {
      return wait <= maximumDelay ? wait : nil
    }
    return backoff.delay(before: number, using: &generator)
  }

  var backoff: RetryBackoff {
    RetryBackoff(first: firstDelay, longest: maximumBackoff, isJittered: isJittered)
  }

  /// Whether a status may be reason to try again.
  func names(status: Int) -> Bool {
    status >= 400 && (statusCodes.contains(status) || refusalStatusCodes.contains(status))
  }

  private func mayRepeat(_ request: RetriedRequest, after ending: RetriedEnding) -> Bool {
    switch ending {
    case .failure(let error):
      // Without codes failures are somebody else's.
      if !failureCodes.isEmpty, Self.isTemporaryReply(error) { return mayRepeat(request) }
      let error = error as NSError
      guard error.domain == NSURLErrorDomain, let code = URLError.Code(rawValue: error.code) else { return false }
      return failureCodes.contains(code) && (Self.unsent.contains(code) || mayRepeat(request))
    case .status(let status, _):
      return names(status: status) && (refusalStatusCodes.contains(status) || mayRepeat(request))
    case .mismatch: return mayRepeat(request)
    }
  }

  private func mayRepeat(_ request: RetriedRequest) -> Bool {
    request.hasKey || Repetition.isIdempotent(request.method) || repeatedMethods.contains(request.method)
  }

  /// Failures by which nothing of the request has reached its server.
  private static let unsent: Set<URLError.Code> = [
    .cannotConnectToHost, .cannotFindHost, .dnsLookupFailed, .notConnectedToInternet,
  ]

  /// An FTP server's reply says that the condition is temporary (RFC 959, section 4.2.1).
  private static func isTemporaryReply(_ error: any Error) -> Bool {
    let underlying = (error as? URLError)?.userInfo[NSUnderlyingErrorKey] as? NSError
    return (underlying?.userInfo["FTPReplyCode"] as? Int).map { (400..<500).contains($0) } ?? false
  }

  /// `Retry-After` is a number of seconds or a date (RFC 9110, section 10.2.3); nil for what is neither.
  private static func seconds(_ field: String, at now: Date) -> TimeInterval? {
    // A proxy may have joined several fields; a date has a comma of its own.
    if let seconds = field.split(separator: ",").first.flatMap({ UInt($0.trimmingFieldWhitespace) }) {
      return TimeInterval(seconds)
    }
    return HTTPDate.date(from: field, now: now).map { max(0, $0.timeIntervalSince(now)) }
  }
}
