internal import URLLoadingCurlTransport

extension TransferCredential {
  /// What connections that were logged in with it have in common; nil for schemes that log in each request.
  var connectionLogin: String? {
    guard schemes.contains(.ntlm) else { return nil }
    return "ntlm \(user) \(SHA256.hexadecimal(of: password))"
  }
}
