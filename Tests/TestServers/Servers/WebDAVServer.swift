import Foundation

/// An nginx with WebDAV (RFC 4918): PROPFIND, PUT, DELETE and MKCOL below `/public/`, and below `/private/` for those who log in.
package final class WebDAVServer: Sendable {
  /// The name that `/private/` lets in.
  package static let user = NginxServer.user
  /// The password that `/private/` wants.
  package static let password = NginxServer.password
  /// The realm of `/private/`.
  package static let realm = "Shelf"

  private static let lazy = LazyServer { try await WebDAVServer.start() }

  /// A server for all tests of this process. Do not stop it.
  package static var shared: WebDAVServer {
    get async throws { try await lazy.server }
  }

  /// The folder with `public` and `private`; tests may add to both.
  package var documentRoot: URL { files.url }
  private let files: TemporaryDirectory
  private let server: NginxServer

  /// Starts a server of the test's own.
  package static func start() async throws -> WebDAVServer {
    let files = try TemporaryDirectory("webdav")
    for name in ["public", "private"] {
      try FileManager.default.createDirectory(at: files.file(name), withIntermediateDirectories: true)
    }
    let methods =
      "root \(files.path); dav_methods PUT DELETE MKCOL; dav_ext_methods PROPFIND OPTIONS; create_full_put_path on;"
    let server = try await NginxServer.start(
      largeSize: 0, modules: ["ngx_http_dav_ext_module"],
      locations: """
        location /public/ { \(methods) }
        location /private/ { \(methods) auth_basic '\(realm)'; auth_basic_user_file passwords; }
        """)
    return WebDAVServer(files: files, server: server)
  }

  private init(files: TemporaryDirectory, server: NginxServer) {
    self.files = files
    self.server = server
  }

  /// The port, on 127.0.0.1.
  package var port: UInt16 { server.port() }

  /// A `dav` URL of this server. The path starts with a slash.
  package func url(_ path: String, login: String = "") -> URL {
    URL(string: "dav://\(login)127.0.0.1:\(port)\(path)") ?? URL(fileURLWithPath: path)
  }

  /// Stops the server and deletes its files.
  package func stop() async {
    await server.stop()
  }
}
