extension URLError {
  /// An error that says what was wrong and in which URL.
  /// - Parameters:
  ///   - code: the kind of failure.
  ///   - message: one sentence, or more; goes to `localizedDescription`.
  ///   - url: the URL that failed; goes to `failingURL` as it is.
  ///   - underlying: the error that this one tells of, if there is one.
  public init(_ code: Code, message: String, url: URL?, underlying: (any Error)? = nil) {
    var info: [String: Any] = [NSLocalizedDescriptionKey: message]
    if let url {
      info[NSURLErrorFailingURLErrorKey] = url
      // The key that callers of old look under; its constant is deprecated.
      info["NSErrorFailingURLStringKey"] = url.absoluteString
    }
    if let underlying { info[NSUnderlyingErrorKey] = underlying }
    self.init(_nsError: NSError(domain: NSURLErrorDomain, code: code.rawValue, userInfo: info))
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

extension URL {
  /// The URL for a message: without a password, and not longer than a line (a `data:` URL has no end).
  public var redactedDescription: String {
    var text = absoluteString
    if password != nil, let end = text.range(of: "@"), let start = text.range(of: "://") {
      if let colon = text[start.upperBound..<end.lowerBound].firstIndex(of: ":") {
        text.replaceSubrange(colon..<end.lowerBound, with: ":***")
      }
    }
    return text.utf8.count > 300 ? String(text.prefix(200)) + "…" : text
  }
}
