internal import URLLoadingCurlTransport
internal import URLLoadingX509

extension TransferCredential {
  /// What connections have in common that were logged in to a server by NTLM, by Negotiate, or to a proxy: a proxy's tunnel belongs to
  /// who opened it, by whatever scheme. Nil where each request logs in by itself.
  static func connectionLogin(
    _ server: TransferCredential?, ofProxy proxy: TransferCredential?, _ token: NegotiateToken?
  ) -> String? {
    var logins: [String] = []
    if let server, server.schemes.contains(.ntlm) { logins.append("server \(server.login)") }
    if let proxy { logins.append("proxy \(proxy.login)") }
    if let token { logins.append(token.isForProxy ? "proxy negotiate" : "server negotiate") }
    return logins.isEmpty ? nil : logins.joined(separator: " ")
  }

  private var login: String { "\(schemes.rawValue) \(user) \(Digest.hexadecimalSHA256(of: password))" }
}
