extension URLSession {
  /// The requirements of App Transport Security on the connection for a URL; nil if there are none. Forbidden loads
  /// have failed before this call.
  func transportSecurityRequirements(for url: URL) -> TransportSecurityRequirements? {
    guard let rules = values.appTransportSecurity, case .secure(let requirements) = rules.judgement(of: url),
      !requirements.isEmpty
    else { return nil }
    return requirements
  }
}
