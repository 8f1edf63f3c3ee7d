import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoading

/// Permanent credentials in a real Secret Service. Each step is a process of its own.
@Suite(.timeLimit(.minutes(2))) struct SecretServiceTests {
  private func run(
    _ service: KeyringSession.Service, home: TemporaryDirectory, _ steps: [SecretServiceChild.Step],
    busAddress: String? = nil
  ) async throws -> Command.Outcome {
    let runner = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let bundle = CommandLine.arguments.drop { !$0.hasSuffix("--test-bundle-path") }.prefix(2)
    return try await KeyringSession.run(
      service, home: home, runner,
      Array(bundle) + ["--testing-library", "swift-testing", "--filter", "SecretServiceChild"],
      environments: steps.map { step in
        var variables = [SecretServiceChild.variable: step.rawValue]
        if let busAddress { variables["DBUS_SESSION_BUS_ADDRESS"] = busAddress }
        return variables
      })
  }

  @Test(.enabled(if: KeyringSession.obstacle == nil, "\(KeyringSession.obstacle ?? "")"))
  func anotherProcessFindsWhatOneHasKept() async throws {
    let home = try TemporaryDirectory("keyring")
    let outcome = try await run(
      .unlocked, home: home, [.keep, .find, .remove, .findNothing, .keep, .removeAll, .findNothing])
    #expect(outcome.status == .exited(0), "\(outcome.text) \(outcome.error)")
    // Nothing of it is on disk in the clear.
    let password = Data(SecretServiceChild.password.utf8)
    for case let file as URL in FileManager.default.enumerator(at: home.url, includingPropertiesForKeys: nil) ?? .init()
    {
      guard let bytes = try? Data(contentsOf: file) else { continue }
      #expect(bytes.range(of: password) == nil, "\(file.path)")
    }
  }

  @Test(.enabled(if: KeyringSession.obstacle == nil, "\(KeyringSession.obstacle ?? "")"))
  func aBusWithoutAServiceIsSaid() async throws {
    let home = try TemporaryDirectory("keyring")
    let outcome = try await run(.none, home: home, [.keepInVain])
    #expect(outcome.status == .exited(0), "\(outcome.text) \(outcome.error)")
    #expect(outcome.error.contains("permanent credentials are kept for the session alone"), "\(outcome.error)")
  }

  @Test(.enabled(if: KeyringSession.obstacle == nil, "\(KeyringSession.obstacle ?? "")"))
  func noBusAtAllIsSaid() async throws {
    let home = try TemporaryDirectory("keyring")
    let outcome = try await run(.none, home: home, [.keepInVain], busAddress: "")
    #expect(outcome.status == .exited(0), "\(outcome.text) \(outcome.error)")
    #expect(outcome.error.contains("DBUS_SESSION_BUS_ADDRESS"), "\(outcome.error)")
  }

  /// A bus that takes connections and never says a word costs a bounded time.
  @Test(.enabled(if: KeyringSession.obstacle == nil, "\(KeyringSession.obstacle ?? "")"))
  func aBusThatIsSilentIsGivenUp() async throws {
    let silent = try ScriptedServer { _ = $0.waitForPeerClose(timeout: .seconds(60)) }
    let home = try TemporaryDirectory("keyring")
    let clock = ContinuousClock()
    let start = clock.now
    let outcome = try await run(
      .none, home: home, [.keepInVain], busAddress: "tcp:host=127.0.0.1,port=\(silent.port)")
    #expect(outcome.status == .exited(0), "\(outcome.text) \(outcome.error)")
    #expect(outcome.error.contains("kept for the session alone"), "\(outcome.error)")
    #expect(clock.now - start < .seconds(50))
  }

  @Test func noProgramLinksGLib() async throws {
    let runner = try #require(CommandLine.arguments.first { $0.hasSuffix(".xctest") })
    let outcome = try await Command.run("ldd", [runner])
    #expect(outcome.text.contains("libcurl"))
    #expect(!outcome.text.contains("libglib") && !outcome.text.contains("libsecret"))
  }
}

/// A step of a process of its own, which the environment names.
@Suite(.timeLimit(.minutes(4))) struct SecretServiceChild {
  enum Step: String { case keep, find, remove, removeAll, findNothing, keepInVain }

  static let variable = "URL_LOADING_TEST_CREDENTIAL_STEP"
  static let password = "päss wörd 0815-4711"
  private static let step = ProcessInfo.processInfo.environment[variable].flatMap { Step(rawValue: $0) }

  private let spaces = [
    URLProtectionSpace(
      host: "example.org", port: 443, protocol: "https", realm: "a",
      authenticationMethod: NSURLAuthenticationMethodHTTPBasic),
    URLProtectionSpace(
      host: "example.org", port: 443, protocol: "https", realm: nil,
      authenticationMethod: NSURLAuthenticationMethodHTTPBasic),
    URLProtectionSpace(
      proxyHost: "example.org", port: 443, type: NSURLProtectionSpaceHTTPProxy, realm: "a",
      authenticationMethod: NSURLAuthenticationMethodHTTPDigest),
  ]

  private func credential(_ user: String) -> URLCredential {
    URLCredential(user: user, password: Self.password + user, persistence: .permanent)
  }

  @Test(.enabled(if: step != nil)) func takesTheStep() async throws {
    let storage = URLCredentialStorage.shared
    switch try #require(Self.step) {
    case .keep:
      for space in spaces {
        storage.set(credential("one"), for: space)
        storage.setDefaultCredential(credential("two"), for: space)
        #expect(storage.credentials(for: space)?["one"]?.persistence == .permanent)
      }
    case .find:
      for space in spaces {
        #expect(storage.defaultCredential(for: space) == credential("two"))
        #expect(storage.credentials(for: space) == ["one": credential("one"), "two": credential("two")])
      }
      #expect(storage.allCredentials.count == spaces.count)
    case .remove:
      storage.remove(credential("one"), for: spaces[0])
      #expect(storage.credentials(for: spaces[0]) == ["two": credential("two")])
      for space in spaces {
        storage.remove(credential("one"), for: space)
        storage.remove(credential("two"), for: space)
      }
    case .removeAll:
      await withCheckedContinuation { done in storage.removeAll { done.resume() } }
    case .findNothing: #expect(storage.allCredentials.isEmpty)
    case .keepInVain:
      storage.setDefaultCredential(credential("one"), for: spaces[0])
      let kept = storage.defaultCredential(for: spaces[0])
      #expect(kept?.persistence == .forSession && kept?.user == "one")
    }
  }
}
