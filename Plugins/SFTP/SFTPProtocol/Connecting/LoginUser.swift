import URLLoading

// Safe to share: nothing changes after init.
/// The user that a challenge wants a password for. It is proposed without one, so that the session answers by neither the URL nor the
/// default credential of its storage: both were tried, and the storage's may be another user's.
final class LoginUser: URLCredential, @unchecked Sendable {
  private let name: String?

  /// - Parameter user: nil where the answer is no user's, as a passphrase is.
  init(_ user: String?) {
    name = user
    super.init(user: user ?? "", password: "", persistence: .none)
  }

  required init?(coder: NSCoder) { nil }

  override var user: String? { name }
  override var password: String? { nil }
  override var hasPassword: Bool { false }
  // An archive outlives the question, and has nothing of this class.
  override var classForCoder: AnyClass { URLCredential.self }
}
