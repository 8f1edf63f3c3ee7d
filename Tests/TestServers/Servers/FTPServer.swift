import Foundation

/// An FTP server with the files of `DocumentRoot`, for `anonymous` (reading) and a named user (reading and writing).
///
/// Explicit TLS (RFC 4217) is offered by all of them, and wanted by `secure`.
package final class FTPServer: Sendable {
  /// How a server differs from the usual one.
  package struct Options: Sendable {
    /// Whether login and data connections are refused without TLS.
    package var requiresTLS = false
    /// Whether anonymous users are let in.
    package var allowsAnonymous = true
    /// Commands that the server does not know, such as `REST`, `MLSD`, `EPSV`, `SIZE`.
    package var disabledCommands: [String] = []
    /// Bytes a second of a download; 0 is no limit.
    package var rateLimit = 0
    /// What it shows in the place of the usual certificate.
    package var identity: TestCertificates.Identity?
    /// The only version of TLS, such as `1.2`; nil for all.
    package var tlsVersion: String?
    /// A file with the authority that clients' certificates have to come from; nil where they need none.
    package var clientAuthority: URL?
    /// Whether data connections have to resume the TLS session of the control connection.
    package var requiresResumption = false
    /// The ports of passive data connections; any where there are none.
    package var passivePorts: [UInt16] = []

    /// The usual server.
    package init() {}
  }

  /// The named user.
  package static let user = "user"
  /// The password of the named user. It needs escaping in a URL.
  package static let password = "p@ss word"

  /// The port of the control connection.
  package let port: UInt16
  /// The folder with the files, the home of both users.
  package let documentRoot: URL
  private let process: ServerProcess

  private static let lazy = LazyServer { try await FTPServer.start() }
  private static let lazySecure = LazyServer {
    var options = Options()
    options.requiresTLS = true
    return try await FTPServer.start(options: options)
  }

  /// A server for all tests of this process. Do not stop it.
  package static var shared: FTPServer {
    get async throws { try await lazy.server }
  }

  /// A server for all tests of this process that wants TLS. Do not stop it.
  package static var secure: FTPServer {
    get async throws { try await lazySecure.server }
  }

  /// Starts a server of the test's own. `large.bin` has `largeSize` bytes.
  package static func start(
    options: Options = Options(), largeSize: Int = DocumentRoot.largeSize
  ) async throws -> FTPServer {
    try await ServerProcess.retrying {
      let directory = try TemporaryDirectory("ftp")
      let root = directory.file("root")
      try DocumentRoot.fill(root, largeSize: largeSize)
      let port = try FreePort.pick()
      let usual = try await TestCertificates.shared.server
      let identity = options.identity ?? usual
      // pyOpenSSL wants both in one file.
      let pem = try Data(contentsOf: identity.key) + Data(contentsOf: identity.certificate)
      try directory.write("server.pem", pem)
      var arguments = [
        PackageFolder.script("ftp_server.py"), "--port", String(port), "--root", root.path, "--user", user,
        "--password", password, "--certificate", directory.file("server.pem").path,
        "--rate", String(options.rateLimit), "--disable", options.disabledCommands.joined(separator: ","),
      ]
      if options.requiresTLS { arguments.append("--require-tls") }
      if let version = options.tlsVersion { arguments += ["--tls", version] }
      if let authority = options.clientAuthority { arguments += ["--client-authority", authority.path] }
      if options.requiresResumption { arguments.append("--require-resumption") }
      if !options.passivePorts.isEmpty {
        arguments += ["--passive-ports", options.passivePorts.map { String($0) }.joined(separator: ",")]
      }
      if options.allowsAnonymous { arguments.append("--anonymous") }
      let process = try await ServerProcess.start(
        "the FTP server", try PackageFolder.python, arguments, directory: directory, ports: [port])
      return FTPServer(process: process, port: port, documentRoot: root)
    }
  }

  private init(process: ServerProcess, port: UInt16, documentRoot: URL) {
    self.process = process
    self.port = port
    self.documentRoot = documentRoot
  }

  /// An `ftp` URL of this server, for anonymous unless a user is given. The path starts with a slash.
  package func url(_ path: String = "/small.txt", user: String? = nil, password: String? = nil) -> URL {
    var components = URLComponents()
    components.scheme = "ftp"
    components.host = "127.0.0.1"
    components.port = Int(port)
    components.user = user
    components.password = password
    components.path = path
    return components.url ?? URL(fileURLWithPath: path)
  }

  /// The commands, answers and transfers so far.
  package var log: String { process.log }

  /// A TLS handshake that came to its end.
  package struct Handshake: Sendable, Equatable {
    package let isOfData: Bool
    package let isResumed: Bool
    /// The client's common name; nil for none.
    package let subject: String?
  }

  /// The handshakes so far.
  package var handshakes: [Handshake] {
    log.matches(of: /TLS (control|data) resumed=([01]) client=([^;]*);/).map { match in
      Handshake(
        isOfData: match.1 == "data", isResumed: match.2 == "1", subject: match.3 == "-" ? nil : String(match.3))
    }
  }

  /// An `ftps` URL of this server. The path starts with a slash.
  package func secureURL(_ path: String = "/small.txt", host: String = "127.0.0.1") -> URL {
    URL(string: "ftps://\(host):\(port)\(path)") ?? URL(fileURLWithPath: path)
  }

  /// Waits until the log contains a text, such as `<- REST 100`.
  package func waitForLog(_ text: String, timeout: Duration = .seconds(5)) async -> Bool {
    await process.logContains(text, timeout: timeout)
  }

  /// Stops the server and deletes its files.
  package func stop() async {
    await process.stop()
  }
}
