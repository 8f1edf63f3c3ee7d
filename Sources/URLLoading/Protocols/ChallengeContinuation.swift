internal import URLLoadingBase

/// The sender of a challenge on which an `async` function is suspended.
///
/// Mutable state: `continuation`, guarded by its lock.
final class ChallengeContinuation: NSObject, URLAuthenticationChallengeSender {
  private let continuation: Locked<UnsafeContinuation<URLCredential?, Never>?>

  init(_ continuation: UnsafeContinuation<URLCredential?, Never>) {
    self.continuation = Locked(continuation)
  }

  /// Resumes the continuation; only the first answer counts.
  func answer(_ credential: URLCredential?) {
    let waiter = continuation.withLock { waiter in
      defer { waiter = nil }
      return waiter
    }
    waiter?.resume(returning: credential)
  }

  func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) { answer(credential) }
  func continueWithoutCredential(for challenge: URLAuthenticationChallenge) { answer(nil) }
  func cancel(_ challenge: URLAuthenticationChallenge) { answer(nil) }
}
