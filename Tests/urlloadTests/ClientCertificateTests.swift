import Foundation
import Testing
import URLLoadingTestServers

/// The certificate that logs in: `-E`, `--key`, `--pass` and `--cert-type`.
@Suite(.timeLimit(.minutes(Sanitizing.isOn ? 20 : 3))) struct ClientCertificateTests {
  @Test func filesOfAllKindsLogIn() async throws {
    let certificates = try await TestCertificates.shared
    let url = try await NginxServer.shared.url("/echo", on: .httpsClientCertificate).absoluteString
    let (pem, p12) = (certificates.client.certificate.path, certificates.clientPKCS12.path)
    let password = TestCertificates.pkcs12Password
    let folder = try TemporaryDirectory("urlload")
    // Its name does not tell what it is.
    let unnamed = try folder.write("identity", Data(contentsOf: certificates.clientPKCS12)).path
    for options in [
      ["-E", pem, "--key", certificates.client.key.path], ["-E", p12, "--pass", password],
      ["-E", "\(p12):\(password)"],
      ["-E", "\(unnamed):\(password)", "--cert-type", "P12"],
    ] {
      let outcome = try await Urlload.run(["--cacert", certificates.authority.path] + options + [url])
      #expect(outcome.status == .exited(0), "\(options): \(outcome.error)")
      #expect(outcome.text.contains("client: CN=client\n"), "\(options): \(outcome.text)")
    }
    let none = try await Urlload.run(["--cacert", certificates.authority.path, url])
    #expect(none.status == .exited(8) && none.error.contains("the server answered 400"), "\(none.error)")
  }

  @Test(arguments: ["client required", "client required in TLS 1.2"])
  func whatAServerDoesNotTakeIsNamed(_ condition: String) async throws {
    let corpus = try await TLSCorpus.shared
    let url = try await TLSCorpus.server.url(condition).absoluteString
    let authority = ["--cacert", corpus.file("root.pem").path]
    let missing = try await Urlload.run(authority + [url])
    #expect(missing.status == .exited(5), "\(missing.error)")
    #expect(missing.error.contains("the server wants a client certificate"), "\(missing.error)")
    #expect(missing.error.contains(": name yours with -E FILE"), "\(missing.error)")
    let refused = try await Urlload.run(authority + ["-E", corpus.file("stranger.pem").path, url])
    #expect(refused.status == .exited(5), "\(refused.error)")
    #expect(refused.error.contains("the server refuses the client certificate"), "\(refused.error)")
    #expect(refused.error.contains(": check that -E names one of an authority"), "\(refused.error)")
    for outcome in [missing, refused] { #expect(outcome.error.split(separator: "\n").count == 1, "\(outcome.error)") }

    let encrypted = corpus.file("alice-encrypted.pem").path
    let taken = try await Urlload.run(authority + ["-E", encrypted, "--pass", "secret", url])
    #expect(taken.status == .exited(0) && taken.text.contains("subject alice\n"), "\(taken.error)")
    let wrong = try await Urlload.run(authority + ["-E", "\(encrypted):wrong", url])
    #expect(wrong.status == .exited(11) && wrong.error.contains("check -E, --key and --pass"), "\(wrong.error)")
  }
}
