import Foundation
import Testing
import URLLoading
import URLLoadingBase
import URLLoadingTestServers

/// What a storage keeps.
@Suite struct URLCredentialStorageTests {
  private func space(_ host: String = "h", realm: String? = "r") -> URLProtectionSpace {
    URLProtectionSpace(
      host: host, port: 80, protocol: "http", realm: realm, authenticationMethod: NSURLAuthenticationMethodHTTPBasic)
  }

  private func credential(
    _ user: String, _ password: String = "p", _ persistence: URLCredential.Persistence = .forSession
  ) -> URLCredential {
    URLCredential(user: user, password: password, persistence: persistence)
  }

  @Test func credentialsAreFoundByAnEqualSpace() {
    let storage = URLCredentialStorage()
    let (one, other) = (credential("one"), credential("other"))
    storage.set(one, for: space())
    storage.set(other, for: space("H"))
    storage.set(one, for: space(realm: "else"))
    #expect(storage.credentials(for: space()) == ["one": one, "other": other])
    #expect(storage.allCredentials.count == 2)
    #expect(storage.credentials(for: space("unknown")) == nil)
    let newer = credential("one", "newer")
    storage.set(newer, for: space())
    #expect(storage.credentials(for: space())?["one"] == newer)
    // Neither is said to be used by itself.
    #expect(storage.defaultCredential(for: space()) == nil)
  }

  @Test func aDefaultIsAddedAndGoesWithItsCredential() {
    let storage = URLCredentialStorage()
    let (one, other) = (credential("one"), credential("other"))
    storage.setDefaultCredential(one, for: space())
    storage.set(other, for: space())
    #expect(storage.defaultCredential(for: space()) == one)
    storage.setDefaultCredential(other, for: space())
    #expect(storage.defaultCredential(for: space()) == other)
    storage.remove(other, for: space())
    #expect(storage.defaultCredential(for: space()) == nil)
    #expect(storage.credentials(for: space()) == ["one": one])
    storage.remove(credential("one", "another password"), for: space())
    #expect(storage.credentials(for: space()) != nil)
    storage.remove(one, for: space())
    #expect(storage.allCredentials.isEmpty)
  }

  @Test func whatIsNotToBeKeptIsNot() {
    let storage = URLCredentialStorage()
    storage.set(credential("one", "p", .none), for: space())
    storage.setDefaultCredential(credential("one", "p", .none), for: space())
    #expect(storage.allCredentials.isEmpty)
  }

  @Test func whatOtherDevicesHaveIsRemovedWithAnOptionOnly() {
    let storage = URLCredentialStorage()
    let one = credential("one", "p", .synchronizable)
    storage.set(one, for: space())
    storage.remove(one, for: space())
    #expect(storage.credentials(for: space()) == ["one": one])
    storage.remove(
      one, for: space(), options: [NSURLCredentialStorageRemoveSynchronizableCredentials: NSNumber(value: true)])
    #expect(storage.credentials(for: space()) == nil)
  }

  @Test(.timeLimit(.minutes(4))) func changesAreTold() async {
    let storage = URLCredentialStorage()
    let count = Watched(0)
    let observer = NotificationCenter.default.addObserver(
      forName: .NSURLCredentialStorageChanged, object: storage, queue: nil
    ) { _ in count.update { $0 += 1 } }
    storage.set(credential("one"), for: space())
    storage.set(credential("one"), for: space())
    storage.setDefaultCredential(credential("one"), for: space())
    storage.remove(credential("unknown"), for: space())
    storage.remove(credential("one"), for: space())
    #expect(await count.wait { $0 == 3 })
    NotificationCenter.default.removeObserver(observer)
  }
}

/// What sessions do with a storage.
@Suite(.timeLimit(.minutes(4))) struct StoredCredentialTests {
  private func space(_ server: AuthServer) -> URLProtectionSpace {
    URLProtectionSpace(
      host: "127.0.0.1", port: Int(server.port), protocol: "http", realm: AuthServer.realm,
      authenticationMethod: NSURLAuthenticationMethodHTTPBasic)
  }

  private func session(
    _ storage: URLCredentialStorage?,
    _ recorder: LoadRecorder = LoadRecorder(onChallenge: { _ in (.performDefaultHandling, nil) })
  ) -> RecordedSession {
    RecordedSession(recorder, configure: { $0.urlCredentialStorage = storage })
  }

  private let right = URLCredential(user: AuthServer.user, password: AuthServer.password, persistence: .forSession)
  private let wrong = URLCredential(user: AuthServer.user, password: "wrong", persistence: .forSession)

  @Test func aDefaultIsUsedWithoutAsking() async throws {
    let server = try await AuthServer.shared
    let storage = URLCredentialStorage()
    storage.setDefaultCredential(right, for: space(server))
    let record = await session(storage).load(server.url("/basic"))
    #expect(record.status == 200)
    #expect(record.challenges.isEmpty)
    // Also where there is no delegate.
    let configuration = URLSessionConfiguration.ephemeral
    configuration.urlCredentialStorage = storage
    let plain = URLSession(configuration: configuration)
    let (_, response) = try await plain.data(from: server.url("/basic"))
    #expect((response as? HTTPURLResponse)?.statusCode == 200)
    plain.invalidateAndCancel()
  }

  @Test func aWrongDefaultIsFollowedByTheDelegate() async throws {
    let server = try await AuthServer.shared
    let storage = URLCredentialStorage()
    storage.setDefaultCredential(wrong, for: space(server))
    let record = await session(storage, LoadRecorder(onChallenge: { [right] _ in (.useCredential, right) }))
      .load(server.url("/basic"))
    #expect(record.status == 200)
    #expect(record.challenges.map(\.previousFailureCount) == [1])
    // What was accepted takes its place.
    #expect(storage.defaultCredential(for: space(server)) == right)
  }

  @Test func whatWasAcceptedIsNotAskedForAgain() async throws {
    let server = try await AuthServer.shared
    let storage = URLCredentialStorage()
    let client = session(storage, LoadRecorder(onChallenge: { [right] _ in (.useCredential, right) }))
    #expect(await client.load(server.url("/basic")).challenges.count == 1)
    let again = await session(storage).load(server.url("/basic"))
    #expect(again.status == 200 && again.challenges.isEmpty)
  }

  @Test func whatWasRefusedOrIsForOnceIsNotKept() async throws {
    let server = try await AuthServer.shared
    let storage = URLCredentialStorage()
    let refused = await session(
      storage,
      LoadRecorder(onChallenge: { [wrong] challenge in
        challenge.previousFailureCount == 0 ? (.useCredential, wrong) : (.performDefaultHandling, nil)
      })
    ).load(server.url("/basic"))
    #expect(refused.status == 401)
    let once = URLCredential(user: AuthServer.user, password: AuthServer.password, persistence: .none)
    let record = await session(storage, LoadRecorder(onChallenge: { _ in (.useCredential, once) }))
      .load(server.url("/basic"))
    #expect(record.status == 200)
    #expect(storage.allCredentials.isEmpty)
  }

  @Test func sessionsWithoutAStorageAsk() async throws {
    let server = try await AuthServer.shared
    let client = session(nil, LoadRecorder(onChallenge: { [right] _ in (.useCredential, right) }))
    for _ in 0..<2 {
      let record = await client.load(server.url("/basic"))
      #expect(record.status == 200)
    }
    #expect(URLSessionConfiguration.default.urlCredentialStorage === URLCredentialStorage.shared)
    #expect(
      URLSessionConfiguration.ephemeral.urlCredentialStorage !== URLSessionConfiguration.ephemeral.urlCredentialStorage)
  }
}
