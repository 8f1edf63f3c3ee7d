import URLLoading
internal import URLLoadingBase

/// Takes the answer to a challenge that an `http` load has, and the `dav` load asks.
///
/// Mutable state: `handler`, guarded by its lock.
final class ForwardedChallenge: NSObject, URLAuthenticationChallengeSender {
  typealias Handler = @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void

  /// Nil once it was called.
  private let handler: Locked<Handler?>

  init(_ handler: @escaping Handler) {
    self.handler = Locked(handler)
  }

  /// Only the first answer counts.
  func answer(_ disposition: URLSession.AuthChallengeDisposition, _ credential: URLCredential? = nil) {
    handler.withLock { $0.take() }?(disposition, credential)
  }

  func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) {
    answer(.useCredential, credential)
  }
  func continueWithoutCredential(for challenge: URLAuthenticationChallenge) { answer(.useCredential) }
  func cancel(_ challenge: URLAuthenticationChallenge) { answer(.cancelAuthenticationChallenge) }
  func performDefaultHandling(for challenge: URLAuthenticationChallenge) { answer(.performDefaultHandling) }
  func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) { answer(.rejectProtectionSpace) }
}
