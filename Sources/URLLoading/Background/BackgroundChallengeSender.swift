internal import URLLoadingBase

/// Takes the answer to a challenge of the transfer service; the first counts.
///
/// Mutable state: `answer`, guarded by its lock.
final class BackgroundChallengeSender: NSObject, URLAuthenticationChallengeSender {
  private struct Answer: Sendable { let take: @Sendable (BackgroundAnswer) -> Void }
  private let answer: Locked<Answer?>

  init(_ answer: @escaping @Sendable (BackgroundAnswer) -> Void) {
    self.answer = Locked(Answer(take: answer))
  }

  private func send(_ given: BackgroundAnswer) {
    let answer = answer.withLock { $0.take() }
    answer?.take(given)
  }

  func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) {
    send(.useCredential(BackgroundValues.data(of: credential)))
  }

  func continueWithoutCredential(for challenge: URLAuthenticationChallenge) { send(.useCredential(nil)) }

  func cancel(_ challenge: URLAuthenticationChallenge) { send(.cancel) }

  func performDefaultHandling(for challenge: URLAuthenticationChallenge) { send(.performDefaultHandling) }

  func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) { send(.rejectProtectionSpace) }
}
