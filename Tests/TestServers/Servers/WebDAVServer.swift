import Foundation
import Glibc

/// A real server with WebDAV (RFC 4918): all of it below `/public/`, and below `/private/` for those who log in.
package final class WebDAVServer: Sendable {
  /// What is served by what.
  package enum Program: String, CaseIterable, Sendable {
    /// nginx with its modules for WebDAV. It has `/plain/`, too, without PROPFIND, and all of it over TLS.
    case nginx
    /// Apache with mod_dav.
    case apache
    /// WsgiDAV on cheroot.
    case wsgidav
  }

  /// The name that `/private/` lets in.
  package static let user = NginxServer.user
  /// The password that `/private/` wants.
  package static let password = NginxServer.password
  /// The realm of `/private/`.
  package var realm: String { program == .wsgidav ? "/private" : Self.ownRealm }
  private static let ownRealm = "Shelf"
  private let program: Program

  private static let lazy = LazyServer { try await WebDAVServer.start() }
  private static let lazyApache = LazyServer { try await WebDAVServer.start(.apache) }
  private static let lazyWsgidav = LazyServer { try await WebDAVServer.start(.wsgidav) }

  /// An nginx for all tests of this process. Do not stop it.
  package static var shared: WebDAVServer {
    get async throws { try await lazy.server }
  }

  /// A server for all tests of this process. Do not stop it.
  package static func shared(_ program: Program) async throws -> WebDAVServer {
    switch program {
    case .nginx: try await lazy.server
    case .apache: try await lazyApache.server
    case .wsgidav: try await lazyWsgidav.server
    }
  }

  /// The folder with `public` and `private`; tests may add to both, by ``makeFolder(_:)`` and ``write(_:to:)``.
  package var documentRoot: URL { files.url }
  /// The port, on 127.0.0.1.
  package let port: UInt16
  /// The port of TLS; nginx alone has one.
  package let securePort: UInt16
  private let files: TemporaryDirectory
  private let end: @Sendable () async -> Void

  /// Starts a server of the test's own.
  package static func start(_ program: Program = .nginx) async throws -> WebDAVServer {
    let files = try TemporaryDirectory("webdav")
    // Another user may run the server.
    chmod(files.path, 0o755)
    for name in ["public", "private", "plain"] {
      try FileManager.default.createDirectory(at: files.file(name), withIntermediateDirectories: true)
      chmod(files.file(name).path, 0o777)
    }
    switch program {
    case .nginx: return try await startNginx(files)
    case .apache: return try await startApache(files)
    case .wsgidav: return try await startWsgidav(files)
    }
  }

  private init(
    _ program: Program, files: TemporaryDirectory, port: UInt16, securePort: UInt16 = 0,
    end: @escaping @Sendable () async -> Void
  ) {
    (self.program, self.files, self.port, self.securePort, self.end) = (program, files, port, securePort, end)
  }

  private static func startNginx(_ files: TemporaryDirectory) async throws -> WebDAVServer {
    let plain = "root \(files.path); dav_methods PUT DELETE MKCOL COPY MOVE;"
    let methods = plain + " dav_ext_methods PROPFIND OPTIONS;"
    let server = try await NginxServer.start(
      largeSize: 0, modules: ["ngx_http_dav_ext_module"],
      locations: """
        location /public/ { \(methods) }
        location /plain/ { \(plain) }
        location /private/ { \(methods) auth_basic '\(ownRealm)'; auth_basic_user_file passwords; }
        """)
    return WebDAVServer(.nginx, files: files, port: server.port(), securePort: server.port(.https)) {
      await server.stop()
    }
  }

  private static func startApache(_ files: TemporaryDirectory) async throws -> WebDAVServer {
    let process = try await ServerProcess.retrying {
      let directory = try TemporaryDirectory("apache")
      chmod(directory.path, 0o755)
      try FileManager.default.createDirectory(at: directory.file("locks"), withIntermediateDirectories: true)
      chmod(directory.file("locks").path, 0o777)
      let port = try FreePort.pick()
      let modules = [
        "mpm_event", "authz_core", "authn_core", "authn_file", "authz_user", "auth_basic", "mime", "dir", "dav",
        "dav_fs",
      ]
      // SHA-1 of the password, which is what Apache reads without its own format.
      try directory.write("passwords", "\(user):{SHA}W6ph5Mm5Pz8GgiULbPgzG37mj9g=\n")
      try directory.write("types", "text/plain txt\ntext/html html\napplication/octet-stream bin\n")
      try directory.write(
        "apache.conf",
        """
        \(modules.map { "LoadModule \($0)_module /usr/lib/apache2/modules/mod_\($0).so" }.joined(separator: "\n"))
        \(geteuid() == 0 ? "User www-data\nGroup www-data" : "")
        ServerName localhost
        DefaultRuntimeDir \(directory.path)
        PidFile \(directory.path)/apache.pid
        ErrorLog /dev/stderr
        TypesConfig \(directory.path)/types
        DavLockDB \(directory.path)/locks/lock
        Listen 127.0.0.1:\(port)
        StartServers 1
        ServerLimit 4
        ThreadsPerChild 64
        MaxRequestWorkers 128
        KeepAliveTimeout 120
        AllowEncodedSlashes NoDecode
        DocumentRoot \(files.path)
        <Directory \(files.path)>
          Dav On
          DavDepthInfinity On
          Require all granted
        </Directory>
        <Location /private/>
          AuthType Basic
          AuthName \(ownRealm)
          AuthUserFile \(directory.path)/passwords
          Require valid-user
        </Location>
        """)
      let process = try await ServerProcess.start(
        "apache", "apache2", ["-D", "FOREGROUND", "-d", directory.path, "-f", directory.file("apache.conf").path],
        directory: directory, ports: [port])
      guard await process.logContains("resuming normal operations", timeout: .seconds(20)) else {
        throw TestServerError("Apache is not ready: \(process.log)")
      }
      return (process, port)
    }
    return WebDAVServer(.apache, files: files, port: process.1) { await process.0.stop() }
  }

  private static func startWsgidav(_ files: TemporaryDirectory) async throws -> WebDAVServer {
    let process = try await ServerProcess.retrying {
      let directory = try TemporaryDirectory("wsgidav")
      let port = try FreePort.pick()
      let process = try await ServerProcess.start(
        "WsgiDAV", try PackageFolder.python,
        [
          PackageFolder.script("webdav_server.py"), "--port", String(port), "--root", files.path, "--user", user,
          "--password", password,
        ], directory: directory, ports: [port], timeout: .seconds(30))
      return (process, port)
    }
    return WebDAVServer(.wsgidav, files: files, port: process.1) { await process.0.stop() }
  }

  /// A `dav` URL of this server. The path starts with a slash.
  package func url(_ path: String, login: String = "") -> URL {
    URL(string: "dav://\(login)127.0.0.1:\(port)\(path)") ?? URL(fileURLWithPath: path)
  }

  /// The same over TLS.
  package func secureURL(_ path: String) -> URL {
    URL(string: "davs://127.0.0.1:\(securePort)\(path)") ?? URL(fileURLWithPath: path)
  }

  /// Makes a folder that the server may change, with those on its way.
  /// - Parameter path: such as `public/a/b`.
  @discardableResult
  package func makeFolder(_ path: String) throws -> URL {
    var folder = documentRoot
    for name in path.split(separator: "/") {
      folder = folder.appendingPathComponent(String(name))
      guard !FileManager.default.fileExists(atPath: folder.path) else { continue }
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
      chmod(folder.path, 0o777)
    }
    return folder
  }

  /// Writes a file that the server may change.
  /// - Parameter age: how long ago it was changed, in seconds. For one second Apache tells weak tags of a file, and strong ones from then on.
  package func write(_ bytes: Data, to path: String, age: TimeInterval = 0) throws {
    let file = documentRoot.appendingPathComponent(path)
    try bytes.write(to: file)
    chmod(file.path, 0o666)
    guard age > 0 else { return }
    try FileManager.default.setAttributes([.modificationDate: Date() - age], ofItemAtPath: file.path)
  }

  /// Whether there is something of that name.
  package func has(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: documentRoot.appendingPathComponent(path).path)
  }

  /// The bytes of a file.
  package func contents(_ path: String) throws -> Data {
    try Data(contentsOf: documentRoot.appendingPathComponent(path))
  }

  /// Stops the server and deletes its files.
  package func stop() async {
    await end()
    files.remove()
  }
}
