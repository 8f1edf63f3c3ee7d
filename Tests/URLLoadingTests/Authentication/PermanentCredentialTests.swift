import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoading

/// Credentials that outlive the process, by a vault in memory.
@Suite(.timeLimit(.minutes(1))) struct PermanentCredentialTests {
  private let space = URLProtectionSpace(
    host: "h", port: 80, protocol: "http", realm: "r", authenticationMethod: NSURLAuthenticationMethodHTTPBasic)
  private let permanent = URLCredential(user: "u", password: "p", persistence: .permanent)

  @Test func anotherProcessFindsIt() {
    let vault = FakeVault()
    URLCredentialStorage(vault: vault).setDefaultCredential(permanent, for: space)
    let other = URLCredentialStorage(vault: vault)
    #expect(other.defaultCredential(for: space) == permanent)
    #expect(other.credentials(for: space) == ["u": permanent])
    #expect(URLCredentialStorage(vault: vault).allCredentials == [space: ["u": permanent]])
    #expect(URLCredentialStorage().allCredentials.isEmpty)
  }

  @Test func whatIsOfTheSessionStaysThere() {
    let vault = FakeVault()
    let storage = URLCredentialStorage(vault: vault)
    storage.set(URLCredential(user: "u", password: "p", persistence: .forSession), for: space)
    storage.set(URLCredential(user: "n", password: "p", persistence: .none), for: space)
    #expect(vault.state.value.kept.isEmpty)
  }

  @Test func whatCannotBeMadePermanentSaysSo() {
    let vault = FakeVault()
    vault.state.update { $0.failure = .timedOut }
    let storage = URLCredentialStorage(vault: vault)
    storage.setDefaultCredential(permanent, for: space)
    #expect(storage.defaultCredential(for: space)?.persistence == .forSession)
    #expect(storage.defaultCredential(for: space)?.password == "p")
    // The one that was given names it all the same.
    storage.remove(permanent, for: space)
    #expect(storage.credentials(for: space) == nil)
  }

  @Test func whatIsRemovedIsForgotten() {
    let vault = FakeVault()
    URLCredentialStorage(vault: vault).setDefaultCredential(permanent, for: space)
    // By a process that has not looked yet.
    URLCredentialStorage(vault: vault).remove(permanent, for: space)
    #expect(vault.state.value.kept.isEmpty)
    URLCredentialStorage(vault: vault).set(permanent, for: space)
    URLCredentialStorage(vault: vault).remove(
      URLCredential(user: "u", password: "another", persistence: .permanent), for: space)
    #expect(vault.state.value.kept.count == 1)
  }

  @Test func whatThisProcessWasToldIsNewer() {
    let vault = FakeVault()
    URLCredentialStorage(vault: vault).set(permanent, for: space)
    let storage = URLCredentialStorage(vault: vault)
    let newer = URLCredential(user: "u", password: "newer", persistence: .forSession)
    storage.set(newer, for: space)
    #expect(storage.allCredentials[space] == ["u": newer])
  }

  @Test func whatIsKnownAsksNobody() {
    let vault = FakeVault()
    let storage = URLCredentialStorage(vault: vault)
    storage.setDefaultCredential(permanent, for: space)
    for _ in 0..<10 { #expect(storage.defaultCredential(for: space) == permanent) }
    #expect(vault.state.value.questions == 0)
  }

  /// A load asks the vault, and what was accepted is kept there.
  @Test func loadsUseThem() async throws {
    let server = try await NginxServer.shared
    let vault = FakeVault()
    for round in 0..<2 {
      let asked = Watched(0)
      let client = RecordedSession(
        LoadRecorder(onChallenge: { _ in
          asked.update { $0 += 1 }
          return (
            .useCredential,
            URLCredential(user: NginxServer.user, password: NginxServer.password, persistence: .permanent)
          )
        })
      ) {
        $0.urlCredentialStorage = URLCredentialStorage(vault: vault)
        $0.urlCache = nil
      }
      let record = await client.load(server.url("/basic/small.txt"))
      #expect(record.status == 200)
      #expect(asked.value == (round == 0 ? 1 : 0))
      #expect(await vault.state.wait { $0.kept.count == 1 && $0.kept[0].isDefault })
    }
  }
}
