import URLLoading
internal import URLLoadingBase

/// What was answered in a session, so that a connection that takes the place of a lost one need not ask again; and the session's
/// storage of credentials, for what somebody has answered before.
///
/// Mutable state: `state`, guarded by its lock.
final class SessionMemory: Sendable {
  private struct State {
    var acceptedAt: [String: Set<PublicKey>] = [:]
    var answers: [String: String] = [:]
  }

  private let state = Locked(State())
  private let storage: URLCredentialStorage?

  init(storage: URLCredentialStorage? = nil) {
    self.storage = storage
  }

  /// What the storage has for a place: of the user, or else its default where that names no other user.
  func storedAnswer(for space: URLProtectionSpace, user: String?) -> String? {
    guard let storage else { return nil }
    if let user, let credential = storage.credentials(for: space)?[user] { return credential.password }
    guard let credential = storage.defaultCredential(for: space) else { return nil }
    let isForUser = user == nil || credential.user == nil || credential.user?.isEmpty == true
    return isForUser ? credential.password : nil
  }

  /// The delegate accepted a server's key.
  func accept(_ key: PublicKey, of server: String) {
    state.withLock { _ = $0.acceptedAt[server, default: []].insert(key) }
  }

  func hasAccepted(_ key: PublicKey, of server: String) -> Bool {
    state.withLock { $0.acceptedAt[server]?.contains(key) == true }
  }

  /// What was answered last to a question; nil where nothing was, or where it was wrong.
  subscript(question: String) -> String? {
    get { state.withLock { $0.answers[question] } }
    set { state.withLock { $0.answers[question] = newValue } }
  }
}
