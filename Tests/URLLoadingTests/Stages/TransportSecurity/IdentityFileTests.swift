import Foundation
import Testing
import URLLoadingCOpenSSL
import URLLoadingTestServers

@testable import URLLoading

/// Identities from files of all kinds, and servers that do not want them.
@Suite(.timeLimit(.minutes(4))) struct IdentityFileTests {
  private static func read(_ name: String) async throws -> Data {
    try Data(contentsOf: await TLSCorpus.shared.file(name))
  }

  /// Accepts the server, and answers every question for an identity alike.
  private static func delegate(
    _ disposition: URLSession.AuthChallengeDisposition, _ identity: SecIdentity? = nil,
    _ persistence: URLCredential.Persistence = .forSession
  ) -> TrustDelegate {
    TrustDelegate { challenge in
      if let trust = challenge.protectionSpace.serverTrust { return (.useCredential, URLCredential(trust: trust)) }
      let credential = identity.map { URLCredential(identity: $0, certificates: nil, persistence: persistence) }
      return (disposition, credential)
    }
  }

  private static func load(_ condition: String, _ session: URLSession) async throws -> Result<String, URLError> {
    let url = try await TLSCorpus.server.url(condition, "/identity")
    do {
      return .success(String(decoding: try await session.data(from: url).0, as: UTF8.self))
    } catch let error as URLError {
      return .failure(error)
    }
  }

  private static func code(_ result: Result<String, URLError>) -> URLError.Code? {
    if case .failure(let error) = result { error.code } else { nil }
  }

  /// An OpenSSL that is no system's may have come without.
  private static var hasLegacyProvider: Bool {
    let library = OSSL_LIB_CTX_new()
    defer { OSSL_LIB_CTX_free(library) }
    guard let provider = OSSL_PROVIDER_load(library, "legacy") else { return false }
    OSSL_PROVIDER_unload(provider)
    return true
  }

  /// As old programs write it (RC2 with 40 bits), with triple DES, and as new ones do.
  @Test(
    arguments: (hasLegacyProvider ? [["-legacy"]] : []) + [
      ["-legacy", "-certpbe", "PBE-SHA1-3DES"], [], ["-iter", "1"],
    ])
  func everyKindOfPKCS12IsRead(_ options: [String]) async throws {
    let folder = try TemporaryDirectory("pkcs12")
    let file = folder.file("alice.p12")
    let source = try await TLSCorpus.shared.file("alice.pem").path
    let arguments = ["pkcs12", "-export", "-in", source, "-out", file.path, "-passout", "pass:süß"]
    try await Command.check("openssl", arguments + options)
    let data = try Data(contentsOf: file)
    let identity = try SecIdentity(pkcs12: data, passphrase: "süß")
    #expect(identity.certificate.summary == "alice")
    let session = Self.delegate(.useCredential, identity).session()
    for condition in ["client required", "client required in TLS 1.2"] {
      #expect(try await Self.load(condition, session).get().contains("subject alice"))
    }
    session.finishTasksAndInvalidate()
    let error = #expect(throws: SecurityError.self) { try SecIdentity(pkcs12: data, passphrase: "suess") }
    #expect(error?.status == errSecAuthFailed)
    // RC2 is read in a library context of its own: the program's gets no old algorithms by it.
    #expect(OSSL_PROVIDER_available(nil, "legacy") == 0)
  }

  @Test func anEncryptedPEMIsRead() async throws {
    let data = try await Self.read("alice-encrypted.pem")
    let identity = try SecIdentity(pem: data, passphrase: "secret")
    let session = Self.delegate(.useCredential, identity).session()
    #expect(try await Self.load("client required", session).get().contains("subject alice"))
    session.finishTasksAndInvalidate()
    for passphrase in ["", "wrong"] {
      let error = #expect(throws: SecurityError.self) { try SecIdentity(pem: data, passphrase: passphrase) }
      #expect(error?.status == errSecAuthFailed)
    }
  }

  @Test(arguments: ["client required", "client required in TLS 1.2"])
  func aServerThatRequiresAnIdentityRefusesLoadsWithout(_ condition: String) async throws {
    for disposition in [
      URLSession.AuthChallengeDisposition.performDefaultHandling, .rejectProtectionSpace,
      .cancelAuthenticationChallenge,
    ] {
      let session = Self.delegate(disposition).session()
      let code = Self.code(try await Self.load(condition, session))
      #expect(code == (disposition == .cancelAuthenticationChallenge ? .cancelled : .clientCertificateRequired))
      session.finishTasksAndInvalidate()
    }
  }

  /// The identity is not used again, and the delegate is asked anew: it may have another.
  @Test(arguments: ["client required", "client required in TLS 1.2"])
  func anIdentityOfAnotherAuthorityIsRefusedAndForgotten(_ condition: String) async throws {
    let stranger = try SecIdentity(pem: try await Self.read("stranger.pem"))
    let alice = try SecIdentity(pem: try await Self.read("alice.pem"))
    let identity = Watched(stranger)
    let names = Watched<[Data]>([])
    let delegate = TrustDelegate { challenge in
      if let trust = challenge.protectionSpace.serverTrust { return (.useCredential, URLCredential(trust: trust)) }
      names.update { $0 = challenge.protectionSpace.distinguishedNames ?? [] }
      return (
        .useCredential, URLCredential(identity: identity.value, certificates: nil, persistence: .forSession)
      )
    }
    let session = delegate.session()
    #expect(Self.code(try await Self.load(condition, session)) == .clientCertificateRejected)
    // The server has said whose it takes.
    #expect(names.value.count == 1)
    identity.update { $0 = alice }
    #expect(try await Self.load(condition, session).get().contains("subject alice"))
    session.finishTasksAndInvalidate()
  }

  @Test func anIdentityThatIsKeptAsksOnce() async throws {
    let alice = try SecIdentity(pem: try await Self.read("alice.pem"))
    for (persistence, count) in [(URLCredential.Persistence.forSession, 1), (.none, 3)] {
      let server = try await TLSCorpus.shared.start("client required") { $0.closes = true }
      let delegate = Self.delegate(.useCredential, alice, persistence)
      let session = delegate.session()
      for _ in 0..<3 { _ = try await session.data(from: server.url("client required")) }
      #expect(delegate.methods.filter { $0 == NSURLAuthenticationMethodClientCertificate }.count == count)
      session.finishTasksAndInvalidate()
      await server.stop()
    }
  }

  /// Not in the session's storage, not where permanent credentials are, and not in an archive.
  @Test func anIdentityIsNeverStored() async throws {
    let alice = try SecIdentity(pem: try await Self.read("alice.pem"))
    let vault = FakeVault()
    let storage = URLCredentialStorage(vault: vault)
    for persistence in [URLCredential.Persistence.forSession, .permanent, .synchronizable] {
      let delegate = Self.delegate(.useCredential, alice, persistence)
      let session = delegate.session { $0.urlCredentialStorage = storage }
      #expect(try await Self.load("client required", session).get().contains("subject alice"))
      let spaces = delegate.challenges.value.map(\.protectionSpace)
      let space = try #require(
        spaces.first { $0.authenticationMethod == NSURLAuthenticationMethodClientCertificate })
      let credential = URLCredential(identity: alice, certificates: nil, persistence: persistence)
      storage.set(credential, for: space)
      storage.setDefaultCredential(credential, for: space)
      #expect(storage.allCredentials.isEmpty && storage.defaultCredential(for: space) == nil)
      let copy = try #require(try archivedAndBack(credential))
      #expect(copy.identity == nil && copy.certificates.isEmpty)
      session.finishTasksAndInvalidate()
    }
    #expect(vault.state.value.keeps == 0 && vault.state.value.kept.isEmpty)
  }
}
