import Foundation
import URLLoadingTestServers

@testable import URLLoading

/// A vault in memory, which refuses or is silent where a test says so.
///
/// Mutable state: `state`, which guards itself.
final class FakeVault: CredentialVault {
  struct State: Sendable {
    var kept: [KeptCredential] = []
    var failure: CredentialVaultFailure?
    var questions = 0
    var keeps = 0
    var forgets = 0
    /// Whether answers to questions wait for ``answer()``.
    var isSlow = false
    var waiting: [@Sendable () -> Void] = []
  }

  let state = Watched(State())

  func credentials(_ take: @escaping @Sendable ([KeptCredential]?) -> Void) {
    let found = state.update { state -> [KeptCredential]? in
      state.questions += 1
      return state.failure == nil ? state.kept : nil
    }
    let isSlow = state.update { state in
      if state.isSlow { state.waiting.append { take(found) } }
      return state.isSlow
    }
    if !isSlow { DispatchQueue.global().async { take(found) } }
  }

  func keep(_ credential: KeptCredential, _ take: @escaping @Sendable (CredentialVaultFailure?) -> Void) {
    let failure = state.update { state -> CredentialVaultFailure? in
      state.keeps += 1
      guard state.failure == nil else { return state.failure }
      state.kept.removeAll { $0.space == credential.space && $0.user == credential.user }
      state.kept.append(credential)
      return nil
    }
    DispatchQueue.global().async { take(failure) }
  }

  /// Gives the answers that wait.
  func answer() {
    let waiting = state.update { state in
      defer { state.waiting = [] }
      return state.waiting
    }
    for give in waiting { give() }
  }

  func forgetAll(_ take: @escaping @Sendable (CredentialVaultFailure?) -> Void) {
    let failure = state.update { state -> CredentialVaultFailure? in
      if state.failure == nil { state.kept = [] }
      return state.failure
    }
    DispatchQueue.global().async { take(failure) }
  }

  func forget(_ credential: KeptCredential, _ take: @escaping @Sendable (CredentialVaultFailure?) -> Void) {
    let failure = state.update { state -> CredentialVaultFailure? in
      state.forgets += 1
      guard state.failure == nil else { return state.failure }
      state.kept.removeAll { $0.space == credential.space && $0.user == credential.user }
      return nil
    }
    DispatchQueue.global().async { take(failure) }
  }
}
