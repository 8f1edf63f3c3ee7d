import URLLoading
internal import URLLoadingHTTPSemantics

/// What is done with a response's body.
enum ResponseVerdict: Equatable, Sendable {
  /// Append it. A part has to have so many bytes.
  case write(length: Int64?)
  /// Truncate the output, and write it. A part has to have so many bytes.
  case overwrite(length: Int64?)
  /// Status 304: the file stays as it is.
  case leave
  /// Drop it, and succeed: the server has not applied `-z`, and the resource does not fulfil that.
  case unwanted
  /// Drop it, and retry after so many seconds.
  case retry(TimeInterval)
  /// Drop it, for it does not continue the output, and retry from the start, if a retry is left.
  case restart(Failure)
  /// Drop it, and fail.
  case refuse(Failure)

  /// What the attempt knows.
  struct Situation {
    var options: LoadOptions
    var policy: RetryPolicy
    /// The number of this attempt, from 1.
    var attempt: Int
    /// What the request asked for; nil where the response is not judged by that.
    var expectation: RangeExpectation?
    /// Whether the request asked for the bytes after those that are written.
    var isResumption: Bool
    /// Bytes that are written.
    var count: Int64
    var isFile: Bool
    var url: URL

    /// Whether what is written can be taken back.
    var canRestart: Bool { isFile || count == 0 }
  }

  /// Whether the output was truncated.
  var overwrites: Bool { if case .overwrite = self { true } else { false } }

  init(_ response: URLResponse, _ now: Situation) {
    if (response as? HTTPURLResponse)?.statusCode == 304, now.isFile, !now.options.headOnly {
      self = .leave
      return
    }
    if now.lacksWhatIsAsked(response) {
      self = .unwanted
      return
    }
    let verdict = now.expectation?.verdict(on: response)
    // 416 to a resumption: the resource became shorter.
    let isUnsatisfied = if now.isResumption, case .unsatisfiable = verdict { true } else { false }
    if let response = response as? HTTPURLResponse, response.statusCode >= 400, !isUnsatisfied {
      self.init(status: response, now)
      return
    }
    let wholeIsWrong = now.options.range != nil && !now.options.headOnly && response.expectedContentLength != 0
    // Without a body.
    let isHead = now.options.headOnly && response is HTTPURLResponse
    switch verdict {
    case .continues(let range):
      self = now.isResumption ? .write(length: range.length) : Self.begin(now, length: range.length)
    case .contradicts(let contradiction) where now.isResumption: self = Self.restart(now, contradiction.description)
    case .unsatisfiable where now.isResumption: self = Self.restart(now, "it has become shorter")
    case .contradicts(let contradiction) where !isHead:
      self = .refuse(
        Failure(
          .broken, "the answer is not what was asked for (\(contradiction))", now.subject,
          advice: now.expectation?.range == nil ? "tell the server's owner" : "leave out the range", keepsPart: false))
    case .replaces where wholeIsWrong && !now.isResumption:
      self = .refuse(
        Failure(
          .broken, "the server does not give ranges of this resource", now.subject,
          advice: "leave out \(now.options.rangeOption)"))
    case .replaces where wholeIsWrong: self = Self.restart(now, "the server sent all of it")
    case .other(let status) where now.isResumption: self = Self.restart(now, "the server answered \(status)")
    case .replaces, .contradicts, .unsatisfiable, .other, nil: self = Self.begin(now, length: nil)
    }
  }

  /// A status of 400 or above.
  private init(status response: HTTPURLResponse, _ now: Situation) {
    let retryAfter = response.firstValue(of: "Retry-After")
    if let delay = now.policy.delay(
      afterStatus: response.statusCode, retryAfter: retryAfter, attempt: now.attempt)
    {
      self = .retry(delay)
    } else if now.options.keepsErrorBodies, now.canRestart {
      self = now.count > 0 ? .overwrite(length: nil) : .write(length: nil)
    } else if now.isFile || now.count > 0 || now.options.dropsErrorBodies {
      self = .refuse(Failure(response, of: now.url, now.options))
    } else {
      self = .write(length: nil)
    }
  }

  /// The output begins with this response.
  private static func begin(_ now: Situation, length: Int64?) -> ResponseVerdict {
    if now.count == 0 { return .write(length: length) }
    if now.isFile { return .overwrite(length: length) }
    let what =
      now.isResumption
      ? "the resource changed after \(now.count) bytes were written"
      : "the load broke off, and what was written cannot be taken back"
    return .refuse(Failure(.broken, what, now.subject, advice: restartable))
  }

  /// The response does not continue the output.
  private static func restart(_ now: Situation, _ reason: String) -> ResponseVerdict {
    let failure = Failure(
      .broken, "the load cannot be resumed after \(now.count) bytes (\(reason))", now.subject,
      advice: now.canRestart ? "try again, or allow more with --retry" : restartable, keepsPart: false)
    return now.canRestart ? .restart(failure) : .refuse(failure)
  }

  private static let restartable = "load it into a file with -o, which can restart"
}

extension ResponseVerdict.Situation {
  fileprivate var subject: String { SafeText.url(url) }

  /// Whether a server sent the whole in spite of `-z`. It may ignore conditions (RFC 9110, section 13.2.1); libcurl compares
  /// `Last-Modified` itself then (`CURLOPT_TIMECONDITION`), but for parts.
  fileprivate func lacksWhatIsAsked(_ response: URLResponse) -> Bool {
    guard let condition = options.timeCondition, expectation?.range == nil, count == 0, !options.headOnly,
      RequestBuilder.method(options) == "GET", let http = response as? HTTPURLResponse, http.statusCode == 200,
      let time = http.validators.lastModified
    else { return false }
    return !condition.holds(forChangeAt: time)
  }

  /// What is wrong with a body that is longer than its range.
  func overrunFailure(in response: URLResponse) -> Failure {
    let part = isResumption || options.range != nil ? (response as? HTTPURLResponse)?.answeredRange : nil
    let range = (part ?? response.contentRange).map { "\"\($0.fieldValue)\"" } ?? "its range"
    return Failure(
      .broken, "the answer has more bytes than \(range)", subject, advice: "try again, or tell the server's owner",
      keepsPart: false)
  }
}

extension Failure {
  /// A status of 400 or above, as the answer to what the user asked for.
  init(_ response: HTTPURLResponse, of url: URL, _ options: LoadOptions) {
    self.init(status: response.statusCode, url: response.url ?? url, rangeOption: options.rangeOption)
  }

  /// A status of 400 or above.
  /// - Parameter rangeOption: the option that names a range.
  init(status: Int, url: URL?, rangeOption: String = "-r") {
    let text = "the server answered \(status) \(HTTPURLResponse.localizedString(forStatusCode: status))"
    let subject = url.map { SafeText.url($0) }
    switch status {
    case 401: self.init(.login, text, subject, advice: "give the right user and password with -u USER:PASSWORD")
    case 407: self.init(.login, text, subject, advice: Self.proxyLogin)
    case 404, 410: self.init(.serverStatus, text, subject, advice: "check the URL")
    case 416 where rangeOption == "-C":
      self.init(
        .serverStatus, text, subject,
        advice: "nothing is left where -C has the resource's length; else give it fewer bytes")
    case 416: self.init(.serverStatus, text, subject, advice: "ask with -r for bytes that the resource has")
    case 429, 503: self.init(.serverStatus, text, subject, advice: "try again later, or let --retry do it")
    case 500...: self.init(.serverStatus, text, subject, advice: "try again later, or tell the server's owner")
    default: self.init(.serverStatus, text, subject, advice: "check the request; -v shows it")
    }
  }
}
