import Foundation

/// A certificate authority and the certificates of the test servers, made with `openssl` once per test process.
package final class TestCertificates: Sendable {
  /// A certificate with its private key, both PEM files.
  package struct Identity: Sendable {
    /// The certificate.
    package let certificate: URL
    /// The private key, not encrypted.
    package let key: URL
  }

  /// The password of `clientPKCS12`.
  package static let pkcs12Password = "secret"

  /// The authority's certificate, which clients have to trust.
  package let authority: URL
  /// For localhost, 127.0.0.1 and ::1, valid.
  package let server: Identity
  /// For localhost, 127.0.0.1 and ::1, but its time is over.
  package let expired: Identity
  /// Valid, but for wrong.example only.
  package let wrongHost: Identity
  /// For localhost, 127.0.0.1 and ::1, signed by itself.
  package let selfSigned: Identity
  /// A client's, signed by the authority, with the common name `client`.
  package let client: Identity
  /// The client's certificate and key as PKCS #12.
  package let clientPKCS12: URL
  private let directory: TemporaryDirectory

  private static let lazy = LazyServer { try await TestCertificates() }

  /// The certificates of this process.
  package static var shared: TestCertificates {
    get async throws { try await lazy.server }
  }

  private init() async throws {
    let directory = try TemporaryDirectory("certificates")
    self.directory = directory
    let local = "DNS:localhost,IP:127.0.0.1,IP:::1"
    let ca = Self.identity("ca", directory)
    authority = ca.certificate
    try await Self.selfSign(
      ca, name: "Test authority",
      extensions: ["basicConstraints=critical,CA:TRUE", "keyUsage=critical,keyCertSign,cRLSign"])
    server = try await Self.issue("server", subject: local, by: ca, in: directory)
    expired = try await Self.issue("expired", subject: local, validity: .past, by: ca, in: directory)
    wrongHost = try await Self.issue("wrong", subject: "DNS:wrong.example", by: ca, in: directory)
    client = try await Self.issue("client", subject: "DNS:client.example", by: ca, in: directory)
    selfSigned = Self.identity("self", directory)
    try await Self.selfSign(selfSigned, name: "localhost", extensions: ["subjectAltName=\(local)"])
    clientPKCS12 = directory.file("client.p12")
    try await Command.check(
      "openssl",
      [
        "pkcs12", "-export", "-in", client.certificate.path, "-inkey", client.key.path, "-out", clientPKCS12.path,
        "-passout", "pass:\(Self.pkcs12Password)",
      ])
  }

  private static let newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]

  private static func identity(_ name: String, _ directory: TemporaryDirectory) -> Identity {
    Identity(certificate: directory.file("\(name).pem"), key: directory.file("\(name).key"))
  }

  private static func selfSign(_ identity: Identity, name: String, extensions: [String]) async throws {
    try await Command.check(
      "openssl",
      ["req", "-x509"] + newKey + [
        "-keyout", identity.key.path, "-out", identity.certificate.path, "-days", "3650", "-subj", "/CN=\(name)",
      ] + extensions.flatMap { ["-addext", $0] })
  }

  private enum Validity { case present, past }

  private static func issue(
    _ name: String, subject: String, validity: Validity = .present, by authority: Identity,
    in directory: TemporaryDirectory
  ) async throws -> Identity {
    let identity = identity(name, directory)
    let request = directory.file("\(name).csr")
    let extensions = try directory.write("\(name).ext", "basicConstraints=CA:FALSE\nsubjectAltName=\(subject)\n")
    try await Command.check(
      "openssl",
      ["req"] + newKey + ["-keyout", identity.key.path, "-out", request.path, "-subj", "/CN=\(name)"])
    let files = ["-in", request.path, "-extfile", extensions.path, "-out", identity.certificate.path]
    switch validity {
    case .present:
      try await Command.check(
        "openssl",
        ["x509", "-req", "-CA", authority.certificate.path, "-CAkey", authority.key.path, "-CAcreateserial"]
          + ["-days", "3650"] + files)
    case .past:
      // Of the commands that sign, `ca` alone takes an end in the past with every version of OpenSSL.
      let database = try directory.write("\(name).index", "")
      let configuration = try directory.write(
        "\(name).conf",
        """
        [ca]
        default_ca = default
        [default]
        database = \(database.path)
        new_certs_dir = \(directory.url.path)
        rand_serial = yes
        default_md = sha256
        policy = policy
        [policy]
        commonName = supplied
        """)
      try await Command.check(
        "openssl",
        ["ca", "-batch", "-notext", "-config", configuration.path, "-cert", authority.certificate.path]
          + ["-keyfile", authority.key.path, "-startdate", "20200101000000Z", "-enddate", "20200201000000Z"] + files)
    }
    return identity
  }
}
