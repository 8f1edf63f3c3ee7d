internal import URLLoadingBase

/// What a request must keep to, so that it cannot say more on the wire than its author meant.
enum RequestRules {
  /// - Parameters:
  ///   - url: whether the URL is checked.
  ///   - fields: whether the header fields are checked.
  static func check(
    _ request: borrowing TransferRequest, url: Bool = true, fields: Bool = true
  ) throws(InvalidRequest) {
    if url { try check(url: request.url) }
    if fields { try check(request.headers) }
    guard isToken(request.method) else {
      throw InvalidRequest(message: "the method \(quoted(request.method)) is not a token (RFC 9110 section 5.6.2)")
    }
    // CONNECT asks for a tunnel, which is no exchange of a request and a response (RFC 9110 section 9.3.6).
    guard request.method != "CONNECT" else {
      throw InvalidRequest(message: "the method CONNECT is for proxies, and cannot be requested")
    }
    if let range = request.range, FTPRange(range) == nil {
      throw InvalidRequest(message: "the range \(quoted(range)) is not of the form first-last")
    }
    if let credential = request.credential { try check(credential) }
    if let credential = request.proxyCredential { try check(credential) }
    if case .known(let length) = request.bodyLength, length < 0 {
      throw InvalidRequest(message: "the length of the body is negative")
    }
  }

  private static func check(url: String) throws(InvalidRequest) {
    guard url.withBytes({ bytes in bytes.allSatisfy { $0 > 32 && $0 != 127 } }) else {
      throw InvalidRequest(message: "the URL has a space or a control character")
    }
  }

  private static func check(_ credential: TransferCredential) throws(InvalidRequest) {
    guard !credential.user.utf8.contains(where: { $0 < 32 }), !credential.password.utf8.contains(where: { $0 < 32 })
    else {
      throw InvalidRequest(
        message: "the user name or the password has a control character",
        urlErrorCode: .userAuthenticationRequired)
    }
  }

  private static func check(_ fields: [(name: String, value: String)]) throws(InvalidRequest) {
    for field in fields {
      guard isToken(field.name) else {
        throw InvalidRequest(
          message:
            "the request has a field named \(quoted(field.name)): a name is letters, digits and hyphens (RFC 9110 section 5.6.2)"
        )
      }
      guard field.value.withBytes({ bytes in !bytes.contains { $0 == 0 || $0 == 10 || $0 == 13 } }) else {
        throw InvalidRequest(
          message:
            "the request's field \(quoted(field.name)) has a line end or a NUL in its value (RFC 9110 section 5.5)")
      }
    }
  }

  /// RFC 9110, section 5.6.2.
  private static func isToken(_ text: String) -> Bool {
    text.withBytes { bytes in !bytes.isEmpty && bytes.allSatisfy(\.isTokenCharacter) }
  }

  /// In visible ASCII, and not longer than a line.
  private static func quoted(_ text: String) -> String {
    let shown = text.unicodeScalars.prefix(100).reduce(into: "") { $0 += $1.escaped(asASCII: true) }
    return "\"\(shown)\(text.unicodeScalars.count > 100 ? "..." : "")\""
  }
}
