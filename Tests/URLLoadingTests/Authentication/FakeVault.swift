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
  }

  let state = Watched(State())

  func credentials(_ take: @escaping @Sendable ([KeptCredential]?) -> Void) {
    let found = state.update { state -> [KeptCredential]? in
      state.questions += 1
      return state.failure == nil ? state.kept : nil
    }
    DispatchQueue.global().async { take(found) }
  }

  func keep(_ credential: KeptCredential, _ take: @escaping @Sendable (CredentialVaultFailure?) -> Void) {
    let failure = state.update { state -> CredentialVaultFailure? in
      guard state.failure == nil else { return state.failure }
      state.kept.removeAll { $0.space == credential.space && $0.user == credential.user }
      state.kept.append(credential)
      return nil
    }
    DispatchQueue.global().async { take(failure) }
  }

  func forget(_ credential: KeptCredential, _ take: @escaping @Sendable (CredentialVaultFailure?) -> Void) {
    let failure = state.update { state -> CredentialVaultFailure? in
      guard state.failure == nil else { return state.failure }
      state.kept.removeAll { $0.space == credential.space && $0.user == credential.user }
      return nil
    }
    DispatchQueue.global().async { take(failure) }
  }
}
