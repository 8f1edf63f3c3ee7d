import Foundation

/// A token in software (SoftHSM), with the key and the certificate of the test client.
package final class SecurityToken: Sendable {
  /// Names the identity.
  package static let uri = "pkcs11:token=test;object=client"
  /// Opens the token.
  package static let pin = "5678"
  private static let module = "/usr/lib/softhsm/libsofthsm2.so"

  private let directory: TemporaryDirectory
  /// What programs need in their environment to find the token.
  package let environment: [String: String?]

  /// Why there can be no token on this machine, in words; nil if there can.
  package static var obstacle: String? {
    let missing = ["/usr/bin/softhsm2-util", "/usr/bin/pkcs11-tool", module].filter {
      !FileManager.default.fileExists(atPath: $0)
    }
    return missing.isEmpty
      ? nil : "\(missing.joined(separator: ", ")) not installed: run Scripts/install-test-dependencies"
  }

  /// Makes the token.
  package init(of client: TestCertificates.Identity) async throws {
    directory = try TemporaryDirectory("token")
    let tokens = directory.file("tokens")
    try FileManager.default.createDirectory(at: tokens, withIntermediateDirectories: true)
    let configuration = try directory.write(
      "softhsm.conf", Data("directories.tokendir = \(tokens.path)\nobjectstore.backend = file\n".utf8))
    environment = ["SOFTHSM2_CONF": configuration.path]
    let (key, certificate) = (directory.file("key.pem"), directory.file("certificate.der"))
    try await Self.run(
      "openssl", ["pkcs8", "-topk8", "-nocrypt", "-in", client.key.path, "-out", key.path], environment)
    try await Self.run(
      "openssl", ["x509", "-in", client.certificate.path, "-outform", "der", "-out", certificate.path], environment)
    try await Self.run(
      "softhsm2-util", ["--init-token", "--free", "--label", "test", "--so-pin", "1234", "--pin", Self.pin], environment
    )
    try await Self.run(
      "softhsm2-util", ["--import", key.path, "--token", "test", "--pin", Self.pin, "--label", "client", "--id", "01"],
      environment)
    try await Self.run(
      "pkcs11-tool",
      [
        "--module", Self.module, "--token-label", "test", "--login", "--pin", Self.pin, "--write-object",
        certificate.path, "--type", "cert", "--id", "01", "--label", "client",
      ], environment)
  }

  private static func run(_ program: String, _ arguments: [String], _ environment: [String: String?]) async throws {
    let outcome = try await Command.run(program, arguments, environment: environment)
    guard outcome.status == .exited(0) else {
      throw TestServerError("\(program): \(outcome.status)\n\(outcome.error)")
    }
  }
}
