internal import URLLoadingCOpenSSL

/// All that is wrong with a chain. OpenSSL ends at the first failure unless its callback says to go on: but whoever overlooks one has to know
/// of all.
///
/// Mutable state: the verdict, of the thread that verifies.
final class VerificationFailures {
  private(set) var verdict = TrustVerdict.trusted

  /// Verifies what a context has.
  static func verify(_ context: OpaquePointer) -> TrustVerdict {
    let failures = VerificationFailures()
    // The slot 0 is that of programs (`X509_STORE_CTX_set_app_data`); libssl has another.
    guard X509_STORE_CTX_set_ex_data(context, 0, Unmanaged.passUnretained(failures).toOpaque()) == 1 else {
      return TrustVerdict(code: Int(X509_V_ERR_OUT_OF_MEM), reason: "there was no memory to evaluate the certificate")
    }
    X509_STORE_CTX_set_verify_cb(context) { isGood, context in
      guard isGood == 0, let context, let failures = X509_STORE_CTX_get_ex_data(context, 0) else { return isGood }
      Unmanaged<VerificationFailures>.fromOpaque(failures)._withUnsafeGuaranteedRef { $0.record(context) }
      return 1
    }
    let isGood = X509_verify_cert(context) == 1
    X509_STORE_CTX_set_ex_data(context, 0, nil)
    // Want of memory, and the like, does not come to the callback.
    if !isGood { failures.record(context) }
    return failures.verdict
  }

  private func record(_ context: OpaquePointer) {
    let code = X509_STORE_CTX_get_error(context)
    let certificate = X509_STORE_CTX_get_current_cert(context).flatMap { X509Certificate(retaining: $0) }
    verdict.add(.failure(code == X509_V_OK ? X509_V_ERR_UNSPECIFIED : code, at: certificate))
  }
}
