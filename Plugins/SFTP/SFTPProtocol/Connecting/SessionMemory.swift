import URLLoading
internal import URLLoadingBase

/// The answers given in a session, for connections that replace lost ones, and the session's credential storage.
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

  /// The stored password for a space: the user's, or else the default one where that names no other user.
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

  /// The last answer to a question; nil without one, or after a wrong one.
  subscript(question: String) -> String? {
    get { state.withLock { $0.answers[question] } }
    set { state.withLock { $0.answers[question] = newValue } }
  }

  /// Forgets the answers to questions whose names begin so.
  func forgetAnswers(beginningWith name: String) {
    state.withLock { state in state.answers = state.answers.filter { !$0.key.hasPrefix(name) } }
  }
}
