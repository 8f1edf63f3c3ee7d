internal import URLLoadingBase
internal import URLLoadingCGSSAPI

/// A login by Negotiate (RFC 4559): GSS-API makes the token from the process's Kerberos tickets, which `kinit` gets. It has no use for
/// user names and passwords.
///
/// The library is opened at its first use. It may have to ask a KDC for the service's ticket, and blocks meanwhile.
enum NegotiateLogin {
  /// Whether this system has the library.
  static let isAvailable = SystemLibrary.open("libgssapi_krb5.so.2").map { url_loading_gss_use($0) == 1 } ?? false

  /// Why there is no token.
  struct Failure: Error {
    /// What the library says, as "No Kerberos credentials available".
    let words: String
  }

  /// The token that the client begins with. With Kerberos it is the only one.
  /// - Parameter host: the server's name, as tickets have it; also that of a proxy.
  static func token(for host: String) throws(Failure) -> Data {
    guard isAvailable, let login = url_loading_gss_begin("HTTP@\(host)") else {
      throw Failure(
        words: "the library libgssapi_krb5.so.2 (Debian: libgssapi-krb5-2) is not there, or the host has no usable name"
      )
    }
    defer { url_loading_gss_end(login) }
    var token: UnsafeMutablePointer<UInt8>?
    var length = 0
    var words: UnsafeMutablePointer<CChar>?
    let result = url_loading_gss_step(login, nil, 0, &token, &length, &words)
    defer {
      free(token)
      free(words)
    }
    guard result == 1, let token else {
      throw Failure(words: words.map { String(cString: $0) } ?? "the library made no token")
    }
    return Data(bytes: token, count: length)
  }
}
