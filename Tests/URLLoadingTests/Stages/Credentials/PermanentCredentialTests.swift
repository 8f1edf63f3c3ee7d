import Foundation
import Testing
import URLLoadingBase
import URLLoadingTestServers

@testable import URLLoading

/// Credentials that outlive the process, by a vault in memory.
@Suite(.timeLimit(.minutes(4))) struct PermanentCredentialTests {
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

  @Test func whatIsKnownIsNotKeptAnewForALoad() {
    let vault = FakeVault()
    let storage = URLCredentialStorage(vault: vault)
    let task = URLSession.shared.dataTask(with: "http://127.0.0.1:1/" as URL)
    for _ in 0..<3 { storage.setDefaultCredential(permanent, for: space, task: task) }
    #expect(vault.state.value.keeps == 1)
    let newer = URLCredential(user: "u", password: "newer", persistence: .permanent)
    for _ in 0..<3 { storage.set(newer, for: space, task: task) }
    #expect(vault.state.value.keeps == 2 && vault.state.value.kept.map(\.password) == ["newer"])
    task.cancel()
  }

  @Test func allAreRemovedByOneCall() async {
    let vault = FakeVault()
    let storage = URLCredentialStorage(vault: vault)
    storage.set(permanent, for: space)
    storage.setDefaultCredential(URLCredential(user: "v", password: "p", persistence: .permanent), for: space)
    await withCheckedContinuation { done in storage.removeAll { done.resume() } }
    #expect(vault.state.value.kept.isEmpty && vault.state.value.forgets == 0)
    #expect(storage.allCredentials.isEmpty)
  }

  @Test(arguments: [true, false]) func aSearchDoesNotBringBackWhatWasRemovedMeanwhile(isKnown: Bool) async {
    let vault = FakeVault()
    URLCredentialStorage(vault: vault).setDefaultCredential(permanent, for: space)
    let storage = URLCredentialStorage(vault: vault)
    if isKnown { storage.set(URLCredential(user: "v", password: "p", persistence: .forSession), for: space) }
    vault.state.update { $0.isSlow = true }
    let task = URLSession.shared.dataTask(with: "http://127.0.0.1:1/" as URL)
    let answered = Watched(false)
    storage.getDefaultCredential(for: space, task: task) { found in answered.update { $0 = found == nil } }
    await withCheckedContinuation { done in storage.removeAll { done.resume() } }
    vault.answer()
    #expect(await answered.wait { $0 })
    vault.state.update { $0.isSlow = false }
    #expect(storage.allCredentials.isEmpty)
    task.cancel()
  }

  @Test(arguments: ["p\0", "\0"]) func aPasswordThatWouldBeCutIsRefused(password: String) async {
    let vault = SecretServiceVault(program: "test", busAddress: "unix:path=/nowhere")
    let credential = KeptCredential(space: space, user: "u", password: password)
    let failure = await withCheckedContinuation { done in vault.keep(credential) { done.resume(returning: $0) } }
    #expect(failure?.description.contains("NUL") == true)
  }

  @Test func aCallIsAnsweredOnce() {
    let ended = VaultCall<Int>()
    #expect(ended.begin(1) && ended.end())
    guard case .late = ended.expire() else { return #expect(Bool(false)) }
    let slow = VaultCall<Int>()
    #expect(slow.begin(1))
    guard case .running(1) = slow.expire() else { return #expect(Bool(false)) }
    #expect(!slow.end())
    // One that has waited in vain never begins.
    let waiting = VaultCall<Int>()
    guard case .waiting = waiting.expire() else { return #expect(Bool(false)) }
    #expect(!waiting.begin(1))
  }

  @Test func aSilentServiceIsLeftAloneForAWhile() {
    let now = MonotonicInstant.now
    var pause = VaultPause()
    #expect(!pause.isOn(at: now))
    pause.begin(at: now)
    #expect(pause.isOn(at: now) && pause.isOn(at: now.advanced(by: .seconds(29))))
    #expect(!pause.isOn(at: now.advanced(by: VaultPause.length)))
    pause.stop()
    #expect(!pause.isOn(at: now))
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
