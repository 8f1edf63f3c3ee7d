import URLLoading

/// What becomes of a response's body.
enum ResponseVerdict: Equatable, Sendable {
  /// It is written, after what is there.
  case write
  /// What is there goes, and it is written.
  case writeAnew
  /// Nobody wants it: the load is tried again after some seconds.
  case retry(TimeInterval)
  /// Nobody wants it.
  case refuse(Failure)

  /// What the attempt knows.
  struct Situation {
    var options: LoadOptions
    var policy: RetryPolicy
    /// Attempts that were made, this one included.
    var attempt: Int
    /// What the request asked to go on with.
    var resumption: Resumption?
    /// Bytes that are written.
    var count: Int64
    var canRestart: Bool
    var isFile: Bool
    var url: URL
  }

  init(_ response: URLResponse, _ now: Situation) {
    let subject = SafeText.url(now.url)
    if let response = response as? HTTPURLResponse, response.statusCode >= 400 {
      let retryAfter = response.value(forHTTPHeaderField: "Retry-After")
      if let delay = now.policy.delay(
        afterStatus: response.statusCode, retryAfter: retryAfter, attempt: now.attempt)
      {
        self = .retry(delay)
      } else if now.isFile || now.count > 0 {
        self = .refuse(Failure(status: response.statusCode, url: now.url))
      } else {
        self = .write
      }
      return
    }
    if let resumption = now.resumption, now.count > 0 {
      if resumption.continues(with: response, count: now.count) {
        self = .write
      } else if now.canRestart {
        self = .writeAnew
      } else {
        self = .refuse(
          Failure(
            .broken, "the resource changed after \(now.count) bytes were written", subject,
            advice: "load it into a file with -o, which can begin anew"))
      }
      return
    }
    if now.options.range != nil, !now.options.headOnly, response.contentRange == nil,
      response.expectedContentLength != 0
    {
      self = .refuse(
        Failure(.broken, "the server does not give ranges of this resource", subject, advice: "leave out -r"))
      return
    }
    self = now.count > 0 ? (now.canRestart ? .writeAnew : .refuse(Self.cannotRestart(subject))) : .write
  }

  private static func cannotRestart(_ subject: String) -> Failure {
    Failure(
      .broken, "the load broke off, and what was written cannot be taken back", subject,
      advice: "load it into a file with -o, which can begin anew")
  }
}

extension Failure {
  /// A status of 400 or above.
  init(status: Int, url: URL) {
    let text = "the server answered \(status) \(HTTPURLResponse.localizedString(forStatusCode: status))"
    let subject = SafeText.url(url)
    switch status {
    case 401: self.init(.login, text, subject, advice: "give the right user and password with -u USER:PASSWORD")
    case 407: self.init(.login, text, subject, advice: "give user and password in the URL of --proxy")
    case 404, 410: self.init(.serverStatus, text, subject, advice: "check the URL")
    case 416: self.init(.serverStatus, text, subject, advice: "ask with -r for bytes that the resource has")
    case 429, 503: self.init(.serverStatus, text, subject, advice: "try again later, or let --retry do it")
    case 500...: self.init(.serverStatus, text, subject, advice: "try again later, or tell the server's owner")
    default: self.init(.serverStatus, text, subject, advice: "check the request; -v shows it")
    }
  }
}
