internal import URLLoadingCurlTransport
internal import URLLoadingX509

/// Our additions: how the server of a connection was verified.
extension URLSessionTaskTransactionMetrics {
  /// A check of the server, or of an HTTPS proxy, that failed, and that something overrode.
  @frozen public struct WeakenedCheck: Hashable, Sendable {
    /// What is checked of a server.
    @frozen public enum Check: Sendable {
      /// A chain of certificates leads to a root that is trusted.
      case certificateChain
      /// The certificate is for the host.
      case hostName
      /// Now is within the certificates' time.
      case validity
      /// No authority has revoked its certificate.
      case revocation
    }

    /// What overrode a check.
    @frozen public enum Cause: Sendable {
      /// The delegate used `URLCredential(trust:)` for a server that is not trusted.
      case delegate
    }

    /// The check.
    public let check: Check
    /// Why it failed, in words.
    public let reason: String
    /// What overrode it.
    public let cause: Cause
    /// The HTTPS proxy failed it, not the server that the URL names.
    public let isOfProxy: Bool
  }

  /// What an OCSP response (RFC 6960) says that a server sent along with its certificate.
  @frozen public enum StapledOCSPResponse: Hashable, Sendable {
    /// The server sent none.
    case absent
    /// The authority vouches for the certificate.
    case good
    /// The authority has revoked it; when, and why, if it says so.
    case revoked(Date?, reason: String?)
    /// The authority does not know the certificate.
    case unknown
    /// It is of no use; in words.
    case invalid(String)
  }
}

extension URLSessionTaskTransactionMetrics.StapledOCSPResponse {
  init(_ status: OCSPStatus) {
    self =
      switch status {
      case .absent: .absent
      case .good: .good
      case .revoked(let date, let reason): .revoked(date, reason: reason)
      case .unknown: .unknown
      case .invalid(let reason): .invalid(reason)
      }
  }
}

extension URLSessionTaskTransactionMetrics.WeakenedCheck {
  /// Each check that failed, once for the server and once for its proxy; none for those that are trusted.
  static func all(_ verification: ConnectionVerification) -> [Self] {
    all(verification.verdict, isOfProxy: false) + (verification.proxyVerdict.map { all($0, isOfProxy: true) } ?? [])
  }

  private static func all(_ verdict: TrustVerdict, isOfProxy: Bool) -> [Self] {
    var checks: [Self] = []
    for failure in verdict.failures.map({ Self($0, isOfProxy: isOfProxy) })
    where !checks.contains(where: { $0.check == failure.check }) {
      checks.append(failure)
    }
    return checks
  }

  private init(_ failure: TrustVerdict, isOfProxy: Bool) {
    let check: Check =
      switch failure.code {
      case 9...16: .validity
      case 23: .revocation
      case 62, 64: .hostName
      default: .certificateChain
      }
    self.init(check: check, reason: failure.reason, cause: .delegate, isOfProxy: isOfProxy)
  }
}
