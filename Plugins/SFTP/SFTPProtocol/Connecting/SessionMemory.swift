import CurlTransport

/// What was answered in a session, so that a connection that takes the place of a lost one need not ask again.
///
/// Mutable state: `state`, guarded by its lock.
final class SessionMemory: Sendable {
  private struct State {
    var acceptedAt: [String: Set<PublicKey>] = [:]
    var answers: [String: String] = [:]
  }

  private let state = Locked(State())

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
