import URLLoading

/// `url.full`, without secrets.
package enum RedactedURL {
  /// The word of OpenTelemetry's conventions.
  private static let redacted = "REDACTED"

  /// What the name of a parameter says, in lower case, whose value is a secret. Those of the conventions are `AWSAccessKeyId`, `Signature`,
  /// `sig` and `X-Goog-Signature`.
  private static let words = ["auth", "credential", "jwt", "key", "pass", "secret", "session", "sig", "token"]

  /// A URL of HTTP without user, password, fragment and the values of its query; one of another scheme as errors of the library have it.
  /// - Parameter showsQueryValues: whether values are left whose names do not say that they are secrets.
  package static func text(of url: URL, showsQueryValues: Bool = false) -> String {
    if url.scheme?.lowercased() == "data" { return "data:\(redacted)" }
    guard RequestDescription(URLRequest(url: url)).isHTTP,
      var components = URLComponents(url: url, resolvingAgainstBaseURL: true)
    else { return url.redactedDescription }
    let hasUser = components.user != nil || components.password != nil
    let query = components.percentEncodedQuery
    components.user = nil
    components.password = nil
    components.percentEncodedQuery = nil
    components.fragment = nil
    guard let plain = components.string else { return url.redactedDescription }
    // A path may have a URL inside of it.
    var text = URL.redactedDescription(of: plain)
    if hasUser, let authority = text.range(of: "://") {
      text.insert(contentsOf: "\(redacted):\(redacted)@", at: authority.upperBound)
    }
    if let query { text += "?" + parameters(of: query, showsValues: showsQueryValues) }
    return text
  }

  private static func parameters(of query: String, showsValues: Bool) -> String {
    let parameters = query.split(separator: "&", omittingEmptySubsequences: false).map { parameter -> String in
      guard let equals = parameter.firstIndex(of: "=") else { return parameter.isEmpty ? "" : redacted }
      let (name, value) = (parameter[..<equals], parameter[parameter.index(after: equals)...])
      if value.isEmpty || showsValues && !isSecret(value, of: name) { return String(parameter) }
      return "\(name)=\(redacted)"
    }
    return parameters.joined(separator: "&")
  }

  private static func isSecret(_ value: Substring, of name: Substring) -> Bool {
    let name = (name.removingPercentEncoding ?? String(name)).lowercased()
    // A URL as a value may have a password, or a secret of its own.
    return words.contains { name.contains($0) } || value.contains(":") || value.lowercased().contains("%3a")
  }
}
