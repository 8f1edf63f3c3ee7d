/// Why a protocol class does not get a request. It is the underlying error of what the load fails with, for callers that phrase the
/// message themselves.
package struct RefusedRequest: Error {
  /// What the class or its scheme does not do.
  package enum Kind: Sendable {
    /// The class does not carry out the method.
    case method
    /// The method takes no body.
    case body
    /// The method stores a body, and there is none.
    case missingBody
    /// Directories are listed by another method.
    case listing
    /// A redirect leads to a class that takes none from others.
    case redirect
    /// A redirect leads to a scheme that no class loads.
    case unknownRedirect
  }

  package var kind: Kind
  /// What was wrong: a sentence without its full stop, which begins in lower case where its first word does.
  package var what: String
  /// What else there is to know, in the same form; for a scheme that no class loads the schemes that there are.
  package var hint: String?

  /// What the load fails with.
  func error(_ url: URL?) -> URLError {
    var message = what.prefix(1).uppercased() + what.dropFirst()
    if let hint { message += "; " + hint }
    return URLError(.unsupportedURL, message: message + ".", url: url, underlying: self)
  }
}

// MARK: Methods

extension RefusedRequest {
  /// The body of a request.
  enum Payload {
    case none
    /// Bytes in memory, of which there are none.
    case empty
    case some
  }

  /// Their bodies have no meaning, or are forbidden (RFC 9110, sections 9.3.1 to 9.3.8), or say what a class without a server does not do (RFC
  /// 4918, sections 9.3, 9.8 and 9.9).
  private static let bodiless = ["GET", "HEAD", "DELETE", "MKCOL", "MOVE", "COPY", "TRACE", "CONNECT"]

  /// Why a class does not get a request; nil where it does.
  /// - Parameter accepted: the methods that the class carries out; nil for all.
  init?(
    method: String, payload: Payload, isListing: Bool, scheme: @autoclosure () -> String, accepted: [String]?
  ) {
    guard let accepted else {
      // A server may take other bodies; one for a HEAD is sent by no client.
      guard method == "HEAD", payload == .some else { return nil }
      self.init(kind: .body, what: "HEAD takes no body (RFC 9110, section 9.3.2)")
      return
    }
    if !accepted.contains(method) {
      self.init(kind: .method, what: "the scheme \"\(scheme())\" carries out \(Self.list(accepted)), not \(method)")
    } else if isListing, method != "GET" {
      self.init(kind: .listing, what: "directories are listed by GET, not by \(method)")
    } else if payload != .none, Self.bodiless.contains(method) {
      let storing = accepted.filter { !Self.bodiless.contains($0) }
      let others =
        storing.isEmpty
        ? "the scheme \"\(scheme())\" stores nothing: it carries out \(Self.list(accepted))"
        : "the scheme \"\(scheme())\" takes one with \(Self.list(storing))"
      self.init(kind: .body, what: "\(method) takes no body; \(others)")
    } else if payload == .none, method == "PUT" {
      self.init(kind: .missingBody, what: "PUT stores a body, and the request has none")
    } else {
      return nil
    }
  }

  private static func list(_ methods: [String]) -> String {
    guard let last = methods.last else { return "no method" }
    guard methods.count > 1 else { return last }
    return methods.dropLast().joined(separator: ", ") + " and " + last
  }
}

// MARK: Redirects

extension RefusedRequest {
  /// A redirect to a class that takes none from others.
  init(redirectFrom origin: URL?, to target: URL?) {
    self.init(
      kind: .redirect,
      what: Self.way(origin, target) + ", and the scheme \"\(target?.scheme ?? "")\" takes no redirects from others",
      hint: "a delegate may answer with another request, or with none and load that URL by a task of its own")
  }

  /// A redirect from a Unix socket to anything else.
  init(redirectFromSocket origin: URL?, to target: URL?) {
    self.init(
      kind: .redirect,
      what: Self.way(origin, target) + ", and one of a Unix socket leads to the same socket alone",
      hint: "a delegate may answer with another request, or with none and load that URL by a task of its own")
  }

  /// A redirect to a scheme that no class loads.
  init(redirectFrom origin: URL?, toUnknown target: URL?, available: String) {
    self.init(
      kind: .unknownRedirect,
      what: Self.way(origin, target)
        + ", and no registered protocol class loads the scheme \"\(target?.scheme ?? "")\"",
      hint: "available are \(available)")
  }

  private static func way(_ origin: URL?, _ target: URL?) -> String {
    "the redirect from \(origin?.redactedDescription ?? "nowhere") leads to \(target?.redactedDescription ?? "nowhere")"
  }
}
