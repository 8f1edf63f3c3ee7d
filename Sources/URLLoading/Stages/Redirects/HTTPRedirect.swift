internal import URLLoadingHTTPSemantics

/// What to do with a response that may be a redirect.
///
/// Follows RFC 9110 section 15.4 and the WHATWG Fetch Standard's "HTTP-redirect fetch". Whether the target's scheme
/// may be loaded, how many redirects are too many, and what the delegate says is the load's business.
enum HTTPRedirect: Equatable, Sendable {
  /// The response asks for another request.
  case follow(Target)
  /// The response is the result: its status is no redirect, or it names no location.
  case notARedirect
  /// The status is a redirect and its Location is no URL that could be loaded.
  case invalidLocation(String)

  /// The request that a redirect asks for, as a difference to the one that was redirected.
  struct Target: Equatable, Sendable {
    /// Where to.
    var url: URL
    var method: String
    /// Whether the body is sent again. False when there was none.
    var keepsBody: Bool
    /// The names, as they were given, of the header fields that the new request must not have.
    var droppedFields: [String]
  }

  /// - Parameters:
  ///   - location: the value of the response's Location field; octets that are no UTF-8 are percent-encoded in it.
  ///   - url: the URL of the request that was answered, as are the method, which is case-sensitive, and the fields.
  init(
    status: Int, location: String?, url: URL, method: String, fields: [(name: String, value: String)], hasBody: Bool
  ) {
    guard [301, 302, 303, 307, 308].contains(status), let location,
      let reference = LocationReference(location)
    else {
      self = .notARedirect
      return
    }
    guard var target = reference.resolved(against: url) else {
      self = .invalidLocation(location)
      return
    }
    let sameOrigin = WebOrigin(url) == WebOrigin(target)
    if !sameOrigin { target = URLSecrets.removingCredentials(target) }
    let newMethod = Self.method(after: status, from: method)
    // A rewritten method drops the body, and with it every field that describes it.
    let dropsBody = newMethod != method
    let dropped = fields.map(\.name).filter { name in
      let name = name.lowercased()
      return dropsBody && Self.describesBody(name) || !sameOrigin && Self.belongsToOrigin.contains(name)
    }
    self = .follow(Target(url: target, method: newMethod, keepsBody: hasBody && !dropsBody, droppedFields: dropped))
  }

  /// RFC 9110 sections 15.4.2 to 15.4.4; any other method than these keeps its name and its body.
  private static func method(after status: Int, from method: String) -> String {
    switch status {
    case 301, 302: method == "POST" ? "GET" : method
    case 303: method == "GET" || method == "HEAD" ? method : "GET"
    default: method
    }
  }

  private static func describesBody(_ name: String) -> Bool {
    name.hasPrefix("content-") || ["transfer-encoding", "trailer", "expect"].contains(name)
  }

  /// Fields that are secrets of one origin, or name it.
  private static let belongsToOrigin: Set<String> = [
    "authorization", "proxy-authorization", "cookie", "cookie2", "host",
  ]
}

extension HTTPRedirect {
  /// What a delegate is shown of a redirect to a request, whichever scheme it is of.
  static func response(to request: URLRequest, for response: URLResponse) -> HTTPURLResponse {
    (response as? HTTPURLResponse)
      ?? HTTPURLResponse(
        url: response.url ?? request.url ?? URL(fileURLWithPath: "/"), statusCode: 302, httpVersion: "HTTP/1.1",
        fields: [("Location", request.url?.absoluteString ?? "")])
  }
}
