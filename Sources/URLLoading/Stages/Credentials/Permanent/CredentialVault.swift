/// Where permanent credentials are kept, outside of the process.
///
/// Every call answers once, on any thread, and after a bounded time. What is changed is changed in the order of the calls.
protocol CredentialVault: Sendable {
  /// Gives all credentials of this program; nil where they cannot be had.
  func credentials(_ take: @escaping @Sendable ([KeptCredential]?) -> Void)

  /// Keeps a credential, in the place of one of the same user; gives why it could not, or nil.
  func keep(_ credential: KeptCredential, _ take: @escaping @Sendable (CredentialVaultFailure?) -> Void)

  /// Forgets a credential; gives why it could not, or nil.
  func forget(_ credential: KeptCredential, _ take: @escaping @Sendable (CredentialVaultFailure?) -> Void)

  /// Forgets all credentials of this program; gives why it could not, or nil.
  func forgetAll(_ take: @escaping @Sendable (CredentialVaultFailure?) -> Void)
}

/// A credential that is kept.
struct KeptCredential: Equatable, Sendable {
  var space: URLProtectionSpace
  var user: String
  var password: String
  /// Whether it is the default of its space.
  var isDefault = false
}

/// Why a vault did not do what it was to do.
enum CredentialVaultFailure: Error, Equatable, CustomStringConvertible {
  /// There is none.
  case unavailable(String)
  /// The credential cannot be kept as it is.
  case unfit(String)
  /// It did not answer in time.
  case timedOut
  /// It refused.
  case refused(String)

  var description: String {
    switch self {
    case .unavailable(let words), .unfit(let words): words
    case .timedOut: "the Secret Service did not answer in time; it may wait for the user"
    case .refused(let words): "the Secret Service refused: \(words)"
    }
  }
}
