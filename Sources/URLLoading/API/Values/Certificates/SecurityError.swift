internal import URLLoadingX509

/// Why a certificate, an identity or a chain is not what it should be.
public struct SecurityError: LocalizedError, CustomNSError, Hashable, Sendable {
  /// The number that functions of the Security framework return for it.
  public let status: OSStatus
  /// What is wrong, in a sentence.
  public let reason: String

  init(status: OSStatus, reason: String) {
    self.status = status
    self.reason = reason
  }

  init(_ failure: IdentityFile.Failure) {
    switch failure {
    case .wrongPassphrase: self.init(status: errSecAuthFailed, reason: "The passphrase of the identity is wrong.")
    case .damaged(let reason): self.init(status: errSecDecode, reason: "The identity cannot be read: \(reason).")
    }
  }

  init(_ failure: TokenIdentity.Failure) {
    switch failure {
    case .noEngine(let words): self.init(status: errSecParam, reason: "The token cannot be reached: \(words).")
    case .notFound(let words):
      self.init(status: errSecItemNotFound, reason: "The identity is not in the token: \(words).")
    }
  }

  /// What is wrong, in a sentence.
  public var errorDescription: String? { reason }

  /// `NSOSStatusErrorDomain`.
  public static var errorDomain: String { NSOSStatusErrorDomain }

  /// The status.
  public var errorCode: Int { Int(status) }

  /// The words.
  public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: reason] }
}
