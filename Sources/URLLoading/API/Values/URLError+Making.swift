extension URLError {
  /// An error that says what was wrong and in which URL.
  ///
  /// The URL goes to `failingURL` whole, password included, as on Apple's systems: programs load it again. So `print(error)`,
  /// which writes all of `userInfo`, shows it. `localizedDescription` is for logs and people, and need not name
  /// the URL; a message that names one does so by `URL.redactedDescription`, which has no query.
  /// - Parameters:
  ///   - code: the kind of failure.
  ///   - message: one sentence, or more; goes to `localizedDescription`. A full stop right after the URL at the end is left
  ///     out, so that the URL can be copied.
  ///   - url: the URL that failed; goes to `failingURL` as it is.
  ///   - underlying: the error that caused this one.
  public init(_ code: Code, message: String, url: URL?, underlying: (any Error)? = nil) {
    var info: [String: Any] = [NSLocalizedDescriptionKey: Self.withoutStop(message, behind: url)]
    if let url {
      info[NSURLErrorFailingURLErrorKey] = url
      // An older key, whose constant is deprecated.
      info["NSErrorFailingURLStringKey"] = url.absoluteString
    }
    if let underlying { info[NSUnderlyingErrorKey] = underlying }
    self.init(_nsError: NSError(domain: NSURLErrorDomain, code: code.rawValue, userInfo: info))
  }

  private static func withoutStop(_ message: String, behind url: URL?) -> String {
    guard message.hasSuffix("."), let url, message.dropLast().hasSuffix(url.redactedDescription) else { return message }
    return String(message.dropLast())
  }
}

extension URLError {
  /// The same error about another URL.
  func about(_ url: URL) -> URLError {
    var info = userInfo
    info[NSURLErrorFailingURLErrorKey] = url
    info["NSErrorFailingURLStringKey"] = url.absoluteString
    return URLError(_nsError: NSError(domain: NSURLErrorDomain, code: code.rawValue, userInfo: info))
  }
}

extension URLError {
  /// The error for a listing of something that is there and is no directory: `URLError.resourceUnavailable`. For protocol
  /// classes that list.
  public static func notDirectory(_ url: URL?) -> URLError {
    URLError(
      .resourceUnavailable,
      message: "Cannot list \(url?.redactedDescription ?? "the request"): it is not a directory; load it instead.",
      url: url)
  }
}
