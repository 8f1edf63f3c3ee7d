import Foundation
import URLLoading
internal import URLLoadingBase

/// Asks for a password by a challenge, and waits on the calling thread for the answer.
///
/// Mutable state: `answer`, guarded by its lock, and written once.
final class PasswordQuestion: NSObject, URLAuthenticationChallengeSender {
  private enum Answer: Sendable {
    case credential(URLCredential)
    case declined
    case cancelled
  }

  private let answer = Locked<Answer?>(nil)
  private let isAnswered = DispatchSemaphore(value: 0)

  /// Waits for the answer to the challenge that `ask` sends.
  /// - Returns: the password; nil when there is none.
  /// - Throws: `URLError.userCancelledAuthentication`, or ``ArchiveError/cancelled`` when the load has ended.
  func wait(gate: URLProtocolGate, url: URL?, asking ask: () -> Void) throws -> [UInt8]? {
    gate.whenEnded { [weak self] in self?.give(.cancelled) }
    ask()
    isAnswered.wait()
    if gate.hasEnded { throw ArchiveError.cancelled }
    switch answer.withLock({ $0 }) {
    case .credential(let credential): return credential.password.map { Array($0.utf8) }
    case .cancelled:
      throw URLError(
        .userCancelledAuthentication, message: "The password of an encrypted archive member was not given.", url: url)
    case nil, .declined: return nil
    }
  }

  private func give(_ given: Answer) {
    let isFirst = answer.withLock { answer in
      guard answer == nil else { return false }
      answer = given
      return true
    }
    if isFirst { isAnswered.signal() }
  }

  func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) { give(.credential(credential)) }
  func continueWithoutCredential(for challenge: URLAuthenticationChallenge) { give(.declined) }
  func cancel(_ challenge: URLAuthenticationChallenge) { give(.cancelled) }
  func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) { give(.declined) }
}
