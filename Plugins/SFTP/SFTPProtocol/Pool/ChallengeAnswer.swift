import URLLoading
internal import URLLoadingBase

/// Takes the answer to a challenge, and resumes the continuation that waits for it. Only the first answer counts.
///
/// Mutable state: `state`, guarded by its lock. The answer goes through the lock, since the thread sanitizer does not see values that a
/// continuation passes on.
final class ChallengeAnswer: NSObject, URLAuthenticationChallengeSender {
  private struct State {
    var continuation: UnsafeContinuation<Void, Never>?
    var answer: ConnectionAnswer?
  }

  private let state = Locked(State())

  var given: ConnectionAnswer? { state.withLock { $0.answer } }

  func wait(with continuation: UnsafeContinuation<Void, Never>) {
    state.withLock { $0.continuation = continuation }
  }

  func answer(_ answer: ConnectionAnswer) {
    let waiter = state.withLock { state -> UnsafeContinuation<Void, Never>? in
      guard let waiter = state.continuation else { return nil }
      state.continuation = nil
      state.answer = answer
      return waiter
    }
    waiter?.resume()
  }

  func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) { answer(.credential(credential)) }
  func continueWithoutCredential(for challenge: URLAuthenticationChallenge) { answer(.refused) }
  func cancel(_ challenge: URLAuthenticationChallenge) { answer(.refused) }
  func performDefaultHandling(for challenge: URLAuthenticationChallenge) { answer(.refused) }
  func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) { answer(.refused) }
}
