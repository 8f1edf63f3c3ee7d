internal import URLLoadingHTTPSemantics

/// The conditions of a request that stores, makes, moves or removes something, of a class whose scheme checks none in one step with the change
/// but whether something is there (RFC 9110, section 13.1, and RFC 4918, section 10.6).
package enum ChangeConditions {
  private static let refused = ["If-Match", "If-Unmodified-Since"]

  /// Whether something that is there already may be replaced.
  /// - Throws: `unsupportedURL` for a condition that cannot be kept.
  package static func replaces(_ request: URLRequest) throws(URLError) -> Bool {
    let scheme = "the scheme \"\(request.url?.scheme?.lowercased() ?? "")\""
    for name in refused where request.value(forHTTPHeaderField: name) != nil {
      throw URLError(
        .unsupportedURL,
        message: "\(name) cannot be kept by \(scheme): others may change the file between a check and the change.",
        url: request.url)
    }
    if let tag = request.value(forHTTPHeaderField: "If-None-Match") {
      guard tag.trimmingCharacters(in: .whitespaces) == "*" else {
        throw URLError(
          .unsupportedURL, message: "Of If-None-Match, \(scheme) understands \"*\" only, not \"\(tag)\".",
          url: request.url)
      }
      return false
    }
    switch request.value(forHTTPHeaderField: "Overwrite")?.trimmingCharacters(in: .whitespaces).lowercased() {
    case nil, "t": return true
    case "f": return false
    case let other?:
      throw URLError(
        .unsupportedURL, message: "Overwrite is T or F (RFC 4918, section 10.6), not \"\(other)\".", url: request.url)
    }
  }
}
