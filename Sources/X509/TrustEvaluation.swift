import Foundation
internal import URLLoadingCOpenSSL

/// Judges chains of certificates: in a handshake, with what the connection trusts, and outside of one.
package struct TrustEvaluation: Sendable {
  /// The host that the first certificate has to be for; nil for any.
  package var host: String?
  /// The roots; nil for `authorities` alone.
  package var anchors: [X509Certificate]?
  /// Whether the system's roots count beside the anchors.
  package var usesAuthorities = true
  /// The roots' file and folder.
  package var authorities: TrustedAuthorities
  /// The moment that has to be within every certificate's time; nil for now.
  package var date: Date?
  /// What the chain has to be good for: that of a server, or anything.
  package var isForServers = true

  package init(host: String?, authorities: TrustedAuthorities) {
    self.host = host
    self.authorities = authorities
  }

  /// - Parameter chain: the server's certificate first, then what it sent along, in any order.
  /// - Returns: the verdict, and the chain from the server's certificate to the root that was found.
  package func evaluate(_ chain: [X509Certificate]) -> (verdict: TrustVerdict, path: [X509Certificate]) {
    guard let leaf = chain.first, let store = makeStore(), let context = X509_STORE_CTX_new() else {
      return (TrustVerdict(code: Int(X509_V_ERR_UNSPECIFIED), reason: "there is no certificate to evaluate"), [])
    }
    defer {
      X509_STORE_CTX_free(context)
      X509_STORE_free(store)
      ERR_clear_error()
    }
    let intermediates = copenssl_x509_stack()
    defer { copenssl_x509_stack_free(intermediates) }
    for certificate in chain.dropFirst() { _ = copenssl_x509_push(intermediates, certificate.pointer) }
    guard X509_STORE_CTX_init(context, store, leaf.pointer, intermediates) == 1 else {
      return (
        TrustVerdict(code: Int(X509_V_ERR_OUT_OF_MEM), reason: "there was no memory to evaluate the certificate"), []
      )
    }
    if isForServers { X509_STORE_CTX_set_default(context, "ssl_server") }
    let parameters = X509_STORE_CTX_get0_param(context)
    X509_VERIFY_PARAM_set_flags(parameters, UInt(X509_V_FLAG_TRUSTED_FIRST | X509_V_FLAG_PARTIAL_CHAIN))
    X509_VERIFY_PARAM_set_auth_level(parameters, SecurityLevel.ofConnections)
    if let seconds = date?.timeIntervalSince1970 {
      let time = time_t(exactly: seconds.rounded(.down)) ?? (seconds < 0 ? .min : .max)
      X509_VERIFY_PARAM_set_time(parameters, time)
    }
    return Self.verify(context, leaf, host: host)
  }

  /// What a stapled OCSP response says, by these roots.
  /// - Parameter path: what ``evaluate(_:)`` found.
  package func status(in response: Data, for path: [X509Certificate]) -> OCSPStatus {
    guard let store = makeStore() else { return .invalid("there was no memory to read it") }
    defer { X509_STORE_free(store) }
    return response.withUnsafeBytes { .reading($0.bindMemory(to: UInt8.self), for: path, store) }
  }

  /// Verifies what a context has, then the host's name.
  static func verify(
    _ context: OpaquePointer, _ leaf: X509Certificate, host: String?
  ) -> (verdict: TrustVerdict, path: [X509Certificate]) {
    var verdict = VerificationFailures.verify(context)
    if let host, !HostName.matches(host, leaf) {
      verdict.add(.mismatch(host, isAddress: HostName.isAddress(host), of: leaf))
    }
    return (verdict, certificates(of: X509_STORE_CTX_get0_chain(context)))
  }

  static func certificates(of stack: OpaquePointer?) -> [X509Certificate] {
    (0..<copenssl_x509_count(stack)).compactMap { index in
      copenssl_x509_at(stack, index).flatMap { X509Certificate(retaining: $0) }
    }
  }

  private func makeStore() -> OpaquePointer? {
    if anchors == nil { return authorities.retainedStore() }
    let store = usesAuthorities ? authorities.newStore() : X509_STORE_new()
    guard let store else { return nil }
    for anchor in anchors ?? [] { X509_STORE_add_cert(store, anchor.pointer) }
    ERR_clear_error()
    return store
  }
}
