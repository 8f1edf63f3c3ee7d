import Foundation
import Glibc

/// An nginx with the files of `DocumentRoot`, over HTTP and HTTPS.
///
/// Its paths:
/// - `/small.txt`, `/large.bin`, `/empty.bin` …: the files, with entity tags, dates and byte ranges;
/// - `/redirect/301` (302, 303, 307, 308): to `?to=` or `/small.txt`, a relative Location;
///   `/redirect/absolute` with the host; `/redirect/loop` to itself;
/// - `/status/404` and other codes, with a body;
/// - `/echo` (and anything under it): the request's line and main fields, one `name: value` a line;
/// - `/basic/…`: the files for `user` with `password`, realm `Test realm`;
/// - `/gzip/…`: the files, compressed if accepted; `/noranges/…` without byte ranges; `/novalidators/…` without
///   entity tag and date; `/slow/…?rate=50k` at that many bytes a second (100k unless given);
/// - `/upload/…`: PUT writes a file, GET reads it, DELETE deletes it;
/// - `/cookies/set` sets two, `/cookies/echo` answers with those it got.
package final class NginxServer: FrontServer {
  /// A port, by what it speaks. All HTTPS ones but `httpsHTTP1` offer HTTP/2 by ALPN.
  package enum Listener: String, CaseIterable, Sendable {
    /// HTTP on 127.0.0.1.
    case http
    /// HTTP on ::1. There only if the machine has IPv6.
    case httpIPv6
    /// HTTPS with a valid certificate.
    case https
    /// HTTPS that speaks HTTP/1.1 only.
    case httpsHTTP1
    /// HTTPS with an expired certificate.
    case httpsExpired
    /// HTTPS with the certificate of another host.
    case httpsWrongHost
    /// HTTPS with a certificate that no authority signed.
    case httpsSelfSigned
    /// HTTPS that wants a client certificate.
    case httpsClientCertificate
  }

  /// The name that `/basic/` lets in.
  package static let user = "user"
  /// The password that `/basic/` wants.
  package static let password = "password"

  /// The folder with the files; tests may add to it.
  package let documentRoot: URL
  /// The folder that `/upload/` writes to.
  package let uploads: URL
  private let process: ServerProcess
  private let ports: [Listener: UInt16]

  private static let lazy = LazyServer { try await NginxServer.start() }

  /// A server for all tests of this process. Do not stop it.
  package static var shared: NginxServer {
    get async throws { try await lazy.server }
  }

  /// Starts a server of the test's own.
  ///
  /// - Parameters:
  ///   - largeSize: the size of `large.bin` in bytes.
  ///   - modules: modules that nginx is to load, without the suffix of their files.
  ///   - requestsPerConnection: how many requests it takes on a connection.
  ///   - directives: more nginx directives for the `http` context.
  ///   - locations: more nginx locations for every port.
  package static func start(
    largeSize: Int = DocumentRoot.largeSize, modules: [String] = [], requestsPerConnection: Int = 1_000_000,
    directives: String = "", locations: String = ""
  ) async throws -> NginxServer {
    try await ServerProcess.retrying {
      let directory = try TemporaryDirectory("nginx")
      let root = directory.file("root")
      try DocumentRoot.fill(root, largeSize: largeSize)
      let uploads = directory.file("uploads/upload")
      try FileManager.default.createDirectory(at: uploads, withIntermediateDirectories: true)

      let listeners = Listener.allCases.filter { $0 != .httpIPv6 || FreePort.hasIPv6 }
      var ports: [Listener: UInt16] = [:]
      for listener in listeners { ports[listener] = try FreePort.pick(ipv6: listener == .httpIPv6) }
      let configuration = NginxConfiguration(
        directory: directory.path, root: root.path, ports: ports, certificates: try await .shared,
        modules: modules, requestsPerConnection: requestsPerConnection, directives: directives, locations: locations)
      try directory.write("nginx.conf", configuration.text)
      try directory.write("locations.conf", configuration.locationsText)
      try directory.write("passwords", "\(user):{PLAIN}\(password)\n")

      let process = try await ServerProcess.start(
        "nginx", "nginx", ["-p", directory.path, "-c", "nginx.conf", "-e", "stderr"], directory: directory,
        ports: ports.filter { $0.key != .httpIPv6 }.map(\.value))
      return NginxServer(process: process, ports: ports, documentRoot: root, uploads: uploads)
    }
  }

  /// Starts a server that is in front of another, for all paths.
  ///
  /// - Parameters:
  ///   - origin: the port of the server behind.
  ///   - requestsPerConnection: how many requests it takes on a connection.
  package static func start(before origin: UInt16, requestsPerConnection: Int = 1000) async throws -> NginxServer {
    try await start(
      largeSize: 0, requestsPerConnection: requestsPerConnection,
      locations: """
        location / {
          proxy_pass http://127.0.0.1:\(origin);
          proxy_http_version 1.1;
          proxy_set_header Connection '';
        }
        """)
  }

  private init(process: ServerProcess, ports: [Listener: UInt16], documentRoot: URL, uploads: URL) {
    self.process = process
    self.ports = ports
    self.documentRoot = documentRoot
    self.uploads = uploads
  }

  /// The port of a listener; 0 if this machine cannot have it.
  package func port(_ listener: Listener = .http) -> UInt16 { ports[listener] ?? 0 }

  /// A URL of this server. The path starts with a slash.
  package func url(_ path: String = "/small.txt", on listener: Listener = .http, host: String? = nil) -> URL {
    let scheme = listener == .http || listener == .httpIPv6 ? "http" : "https"
    let host = host ?? (listener == .httpIPv6 ? "[::1]" : "127.0.0.1")
    return URL(string: "\(scheme)://\(host):\(port(listener))\(path)") ?? URL(fileURLWithPath: path)
  }

  package func url(_ path: String, secure: Bool) -> URL { url(path, on: secure ? .https : .http) }

  package func reload() { process.send(signal: SIGHUP) }

  package func finish() { process.send(signal: SIGQUIT) }

  package var isRunning: Bool { process.isRunning }

  /// A file's name, served by this server, with `count` bytes of the pattern `seed`.
  package func addFile(_ name: String, count: Int, seed: UInt64 = 1) throws {
    try TestFiles.write(count: count, seed: seed, to: documentRoot.appendingPathComponent(name))
  }

  /// The requests so far, a line each: `method uri status protocol connection "range" sent-bytes`.
  package var accessLog: [String] {
    process.text(of: "access.log").split(separator: "\n").map(String.init)
  }

  /// Waits until the access log has a line that contains a text.
  package func waitForAccess(_ text: String, timeout: Duration = .seconds(5)) async -> Bool {
    await process.logContains(text, in: "access.log", timeout: timeout)
  }

  /// Stops the server and deletes its files.
  package func stop() async {
    await process.stop()
  }
}
