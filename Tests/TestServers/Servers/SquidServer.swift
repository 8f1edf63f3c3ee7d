import Foundation
import Glibc

/// A squid that forwards HTTP and tunnels by CONNECT, without a cache.
package final class SquidServer: Sendable {
  /// The name that a server with authentication lets in.
  package static let user = "proxyuser"
  /// The password that a server with authentication wants.
  package static let password = "proxypass"

  /// The port of the proxy.
  package let port: UInt16
  private let process: ServerProcess

  private static let lazy = LazyServer { try await SquidServer.start() }
  private static let lazyAuthenticating = LazyServer { try await SquidServer.start(authenticates: true) }

  /// A proxy for all tests of this process. Do not stop it.
  package static var shared: SquidServer {
    get async throws { try await lazy.server }
  }

  /// A proxy for all tests of this process that wants Basic authentication. Do not stop it.
  package static var authenticating: SquidServer {
    get async throws { try await lazyAuthenticating.server }
  }

  /// Starts a proxy that wants Negotiate.
  package static func start(in realm: KerberosRealm) async throws -> SquidServer {
    try await start(
      environment: realm.environment,
      access: """
        auth_param negotiate program /usr/lib/squid/negotiate_kerberos_auth -s GSS_C_NO_NAME
        auth_param negotiate children 2 startup=1
        acl known proxy_auth REQUIRED
        http_access allow known
        http_access deny all
        """)
  }

  /// Starts a proxy of the test's own.
  package static func start(authenticates: Bool = false) async throws -> SquidServer {
    try await start(authenticates: authenticates, environment: [:], access: "http_access allow all")
  }

  private static func start(
    authenticates: Bool = false, environment: [String: String?], access open: String
  ) async throws -> SquidServer {
    try await ServerProcess.retrying {
      let directory = try TemporaryDirectory("squid")
      // Started by root it becomes the user `proxy`, who has to write its log here.
      chmod(directory.path, 0o777)
      let port = try FreePort.pick()
      let passwords = directory.file("passwords").path
      var access = open
      if authenticates {
        let hash = try await Command.check("openssl", ["passwd", "-apr1", password])
        try directory.write("passwords", "\(user):\(String(decoding: hash, as: UTF8.self))")
        access = """
          auth_param basic program /usr/lib/squid/basic_ncsa_auth \(passwords)
          auth_param basic children 1 startup=1
          auth_param basic realm Proxy realm
          acl known proxy_auth REQUIRED
          http_access allow known
          http_access deny all
          """
      }
      try directory.write(
        "squid.conf",
        """
        http_port 127.0.0.1:\(port)
        visible_hostname localhost
        pid_filename none
        cache deny all
        cache_log /dev/stderr
        access_log stdio:\(directory.path)/access.log
        logformat test %rm %ru %>Hs %un
        access_log stdio:\(directory.path)/requests.log test
        strip_query_terms off
        netdb_filename none
        pinger_enable off
        shutdown_lifetime 0 seconds
        max_filedescriptors 4096
        cache_mem 8 MB
        coredump_dir \(directory.path)
        \(access)
        """)
      let process = try await ServerProcess.start(
        "squid", "squid", ["-N", "-d", "1", "-n", "test\(port)", "-f", directory.file("squid.conf").path],
        environment: environment, directory: directory, ports: [port])
      return SquidServer(process: process, port: port)
    }
  }

  private init(process: ServerProcess, port: UInt16) {
    self.process = process
    self.port = port
  }

  /// The proxy's URL.
  package var url: URL { URL(string: "http://127.0.0.1:\(port)") ?? URL(fileURLWithPath: "/") }

  /// The requests so far, a line each: `method target status user`. A tunnel is logged when it closes.
  package var requests: [String] {
    process.text(of: "requests.log").split(separator: "\n").map(String.init)
  }

  /// Waits until the requests contain a text.
  package func waitForRequest(_ text: String, timeout: Duration = .seconds(5)) async -> Bool {
    await process.logContains(text, in: "requests.log", timeout: timeout)
  }

  /// Stops the proxy and deletes its files.
  package func stop() async {
    await process.stop()
  }
}
