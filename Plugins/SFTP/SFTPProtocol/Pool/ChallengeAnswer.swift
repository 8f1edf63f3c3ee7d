import CurlTransport
import URLLoading

/// Takes the answer to a challenge, and gives it to who waits for it. Only the first counts.
///
/// Mutable state: `continuation`, guarded by its lock.
final class ChallengeAnswer: NSObject, URLAuthenticationChallengeSender {
  private let continuation: Locked<UnsafeContinuation<ConnectionAnswer, Never>?>

  init(_ continuation: UnsafeContinuation<ConnectionAnswer, Never>) {
    self.continuation = Locked(continuation)
  }

  func answer(_ answer: ConnectionAnswer) {
    let waiter = continuation.withLock { waiter in
      defer { waiter = nil }
      return waiter
    }
    waiter?.resume(returning: answer)
  }

  func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) { answer(.credential(credential)) }
  func continueWithoutCredential(for challenge: URLAuthenticationChallenge) { answer(.refused) }
  func cancel(_ challenge: URLAuthenticationChallenge) { answer(.refused) }
  func performDefaultHandling(for challenge: URLAuthenticationChallenge) { answer(.refused) }
  func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) { answer(.refused) }
}
