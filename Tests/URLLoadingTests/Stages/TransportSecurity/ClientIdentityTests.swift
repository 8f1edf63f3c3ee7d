import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoading

/// Servers that ask who their client is.
@Suite(.timeLimit(.minutes(4))) struct ClientIdentityTests {
  private static func delegate(_ credential: @escaping @Sendable () -> URLCredential?) -> TrustDelegate {
    TrustDelegate { challenge in
      guard challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodClientCertificate else {
        return (.performDefaultHandling, nil)
      }
      guard let credential = credential() else { return (.performDefaultHandling, nil) }
      return (.useCredential, credential)
    }
  }

  private func text(_ session: URLSession) async throws -> String {
    let url = try await NginxServer.shared.url("/echo", on: .httpsClientCertificate)
    return String(decoding: try await session.data(from: url).0, as: UTF8.self)
  }

  @Test(arguments: [URLCredential.Persistence.none, .forSession])
  func anIdentityFromPKCS12LogsIn(_ persistence: URLCredential.Persistence) async throws {
    let certificates = try await TestCertificates.shared
    let identity = try SecIdentity(
      pkcs12: try Data(contentsOf: certificates.clientPKCS12), passphrase: TestCertificates.pkcs12Password)
    let delegate = Self.delegate { URLCredential(identity: identity, certificates: nil, persistence: persistence) }
    let session = delegate.session { $0.certificateAuthorityFile = certificates.authority }
    for _ in 0..<3 { #expect(try await text(session).contains("client: CN=client")) }
    let asked = delegate.challenges.value.filter {
      $0.protectionSpace.authenticationMethod == NSURLAuthenticationMethodClientCertificate
    }
    #expect(asked.count == (persistence == .none ? 3 : 1))
    let names = asked.first?.protectionSpace.distinguishedNames
    #expect(names?.count == 1)
    session.finishTasksAndInvalidate()
  }

  @Test func aServerThatIsNotAnsweredDecides() async throws {
    let authority = try await TestCertificates.shared.authority
    let delegate = Self.delegate { nil }
    let session = delegate.session { $0.certificateAuthorityFile = authority }
    let url = try await NginxServer.shared.url("/echo", on: .httpsClientCertificate)
    let (_, response) = try await session.data(from: url)
    #expect((response as? HTTPURLResponse)?.statusCode == 400)
    session.finishTasksAndInvalidate()
  }

  @Test func wrongFilesAndPassphrasesHaveWords() async throws {
    let certificates = try await TestCertificates.shared
    let file = try Data(contentsOf: certificates.clientPKCS12)
    #expect(throws: SecurityError.self) { try SecIdentity(pkcs12: file, passphrase: "wrong") }
    #expect(throws: SecurityError.self) { try SecIdentity(pkcs12: Data("no file".utf8), passphrase: "") }
    var items: CFArray?
    let options = [kSecImportExportPassphrase as String: "wrong"]
    #expect(SecPKCS12Import(file as CFData, options as CFDictionary, &items) == errSecAuthFailed)
    #expect(SecPKCS12Import(Data([1, 2, 3]) as CFData, options as CFDictionary, &items) == errSecDecode)
    #expect(SecPKCS12Import(file as CFData, [:] as CFDictionary, &items) == errSecPassphraseRequired)
    let right = [kSecImportExportPassphrase as String: TestCertificates.pkcs12Password]
    #expect(SecPKCS12Import(file as CFData, right as CFDictionary, &items) == errSecSuccess)
    let first = (items as? [[String: Any]])?.first
    #expect(first?[kSecImportItemIdentity as String] is SecIdentity)
    #expect((first?[kSecImportItemCertChain as String] as? [SecCertificate])?.first?.summary == "client")
    #expect(first?[kSecImportItemTrust as String] is SecTrust)
  }

  @Test func anIdentityFromPEMLogsIn() async throws {
    let certificates = try await TestCertificates.shared
    let text =
      try Data(contentsOf: certificates.client.key) + Data(contentsOf: certificates.client.certificate)
    let identity = try SecIdentity(pem: text)
    let delegate = Self.delegate { URLCredential(identity: identity, certificates: nil, persistence: .forSession) }
    let session = delegate.session { $0.certificateAuthorityFile = certificates.authority }
    #expect(try await self.text(session).contains("client: CN=client"))
    session.finishTasksAndInvalidate()
  }

  @Test(.enabled(if: SecurityToken.obstacle == nil)) func anIdentityOfATokenLogsIn() async throws {
    let certificates = try await TestCertificates.shared
    let token = try await SecurityToken(of: certificates.client)
    let directory = try TemporaryDirectory("token-worker")
    let url = try await NginxServer.shared.url("/echo", on: .httpsClientCertificate).absoluteString
    for (uri, pin, expected) in [
      (SecurityToken.uri, SecurityToken.pin, "client: CN=client"),
      ("pkcs11:token=test;object=none", "5678", "not in the token"),
      (SecurityToken.uri, "0000", "not in the token"),
    ] {
      let worker = try DownloadWorker(
        ["identity", url, certificates.authority.path, uri, pin], in: directory, environment: token.environment)
      #expect(await worker.process.waitForExit() == .exited(0))
      #expect(worker.lines.contains { $0.contains(expected) }, "\(worker.lines)")
    }
  }
}
