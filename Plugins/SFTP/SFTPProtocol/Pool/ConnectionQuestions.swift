import URLLoading

/// Where the questions of a connection that is being made go to: one of the loads that wait for it.
///
/// Mutable state: none; the pool answers by its own lock.
final class ConnectionQuestions: Sendable {
  /// Makes the challenge, given who takes the answer.
  typealias Challenge = @Sendable (any URLAuthenticationChallengeSender) -> URLAuthenticationChallenge

  private let firstWaiting: @Sendable () -> (any ConnectionWaiter)?

  init(firstWaiting: @escaping @Sendable () -> (any ConnectionWaiter)?) {
    self.firstWaiting = firstWaiting
  }

  /// Asks the delegate of a load that waits. Where that load ends meanwhile, the next one is asked.
  /// - Returns: the credential; nil where nobody gave one.
  func ask(_ challenge: @escaping Challenge) async -> URLCredential? {
    while !Task.isCancelled, let waiter = firstWaiting() {
      switch await waiter.ask(challenge) {
      case .credential(let credential): return credential
      case .refused: return nil
      // It is about to leave the pool.
      case .gone: await Task.yield()
      }
    }
    return nil
  }
}

/// What a load says to a question.
// Safe to share: a credential does not change.
enum ConnectionAnswer: @unchecked Sendable {
  case credential(URLCredential)
  case refused
  /// The load has ended.
  case gone
}

/// A load that waits for a connection.
protocol ConnectionWaiter: AnyObject, Sendable {
  func ask(_ challenge: @escaping ConnectionQuestions.Challenge) async -> ConnectionAnswer
}
