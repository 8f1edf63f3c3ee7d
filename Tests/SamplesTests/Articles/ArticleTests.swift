import Foundation
import Testing
import URLLoadingTestServers

/// The code of each article runs, and prints what the article says that it prints. `article-extractor` makes programs of it.
@Suite struct ArticleTests {
  /// The texts of all catalogs' articles, by their names.
  private static let articles: [String: String] = {
    var texts: [String: String] = [:]
    for folder in ["Sources", "Plugins"].map({ PackageFolder.root.appending(path: $0) }) {
      guard let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil) else { continue }
      for case let file as URL in files where file.pathExtension == "md" {
        guard file.deletingLastPathComponent().pathExtension == "docc" else { continue }
        texts[file.deletingPathExtension().lastPathComponent] = try? String(contentsOf: file, encoding: .utf8)
      }
    }
    return texts
  }()

  private static let names = articles.filter { $0.value.contains("\n```swift\n") }.keys.sorted()

  @Test(.timeLimit(.minutes(2)), arguments: names) func runsAsItSays(_ name: String) async throws {
    let folder = try TemporaryDirectory("article")
    let server = try ArticleServer.start()
    var environment: [String: String?] = [
      "HOME": folder.path, "CFFIXED_USER_HOME": folder.path, "TMPDIR": folder.path, "FOLDER": folder.path,
      "SSH_AUTH_SOCK": nil, "SSL_CERT_FILE": nil, "SSL_CERT_DIR": nil,
      "WEB": "http://127.0.0.1:\(server.port)", "PROXY_HOST": "127.0.0.1", "PROXY_PORT": "\(server.port)",
      "FTP": try await Self.base(of: FTPServer.shared.url()),
      "SECURE": try await Self.base(of: NginxServer.shared.url("", on: .https)),
    ]
    try FileManager.default.copyItem(
      at: try await TestCertificates.shared.authority, to: folder.file("company-ca.pem"))
    var stops: [() async -> Void] = []
    switch name {
    case "WebSocketsAndStreams":
      let sockets = try await WebSocketServer.start()
      environment["WEBSOCKET"] = Self.base(of: sockets.url("/"))
      let mail = try ScriptedServer { connection in
        try connection.send("* OK ready\r\n")
        _ = try connection.readLine()
        try connection.send("* BYE\r\n")
      }
      (environment["MAIL_HOST"], environment["MAIL_PORT"]) = ("127.0.0.1", "\(mail.port)")
      stops.append {
        await sockets.stop()
        _ = await mail.stop()
      }
    case "Caching":
      environment["REDIS"] = Self.base(of: try await RedisServer.shared.url())
    case "SFTP", "SFTPProtocol", "LoadFilesOverSFTP":
      let ssh = try await SSHServer.start()
      let reports = ssh.home.appending(path: "reports")
      try FileManager.default.createDirectory(at: reports, withIntermediateDirectories: true)
      if name != "SFTP" { try Data("quarter,total\n1,95\n".utf8).write(to: reports.appending(path: "2024.csv")) }
      environment["SSH"] = String(ssh.url("/~").absoluteString)
      environment["FINGERPRINT"] = try await SSHKeys.fingerprint(ssh.hostKeys[0])
      let key = try await SSHServer.clientKeys.ed25519.file.path
      // A delegate is asked about an unknown host alone.
      if name != "LoadFilesOverSFTP" { try folder.write(".ssh/known_hosts", ssh.knownHosts) }
      try folder.write(".ssh/config", "IdentityFile \"\(key)\"\n")
      chmod(folder.file(".ssh/config").path, 0o600)
      stops.append { await ssh.stop() }
    case "WebDAV", "WebDAVProtocol", "LoadFilesOverWebDAV":
      let files = try await WebDAVServer.start()
      for folder in ["shared", "reports"] { try files.makeFolder("public/\(folder)") }
      try files.write(Data("quarter,total\n1,95\n".utf8), to: "public/reports/2024.csv")
      environment["WEBDAV"] = files.url("/public").absoluteString
      stops.append { await files.stop() }
    default: break
    }
    let outcome = try await Command.run(BuiltProgram.path("URLLoadingArticles"), [name], environment: environment)
    #expect(outcome.status == .exited(0), "\(outcome.text)\(outcome.error)")
    for stop in stops { await stop() }
  }

  /// A manifest that people copy is one.
  @Test func theManifestIsRead() async throws {
    let article = PackageFolder.root.appending(path: "Sources/URLLoading/URLLoading.docc/GettingStarted.md")
    let text = try String(contentsOf: article, encoding: .utf8)
    let start = try #require(text.range(of: "// swift-tools-version"))
    let end = try #require(text.range(of: "\n```", range: start.lowerBound..<text.endIndex))
    let folder = try TemporaryDirectory("manifest")
    try folder.write("Package.swift", Data(text[start.lowerBound..<end.lowerBound].utf8))
    let dump = try await Command.check("swift", ["package", "--package-path", folder.path, "dump-package"])
    #expect(String(decoding: dump, as: UTF8.self).contains("swift-url-loading"))
  }

  /// So are the targets that they copy into one.
  @Test func theTargetsAreRead() async throws {
    let mark = "<!-- target -->\n```swift\n"
    var targets: [String] = []
    for rest in Self.articles.values.flatMap({ $0.components(separatedBy: mark).dropFirst() }) {
      let end = try #require(rest.range(of: "\n```"))
      targets.append(String(rest[..<end.lowerBound]))
    }
    #expect(targets.count >= 2)
    let manifest = """
      // swift-tools-version: 6.2
      import PackageDescription

      let package = Package(
        name: "reader",
        dependencies: [.package(url: "https://example.org/swift-url-loading.git", branch: "main")],
        targets: [.target(name: "MemoryScheme"), \(targets.joined(separator: ", "))])
      """
    let folder = try TemporaryDirectory("manifest")
    try folder.write("Package.swift", manifest)
    let dump = try await Command.check("swift", ["package", "--package-path", folder.path, "dump-package"])
    let text = String(decoding: dump, as: UTF8.self)
    #expect(text.contains("\"Reader\"") && text.contains("\"MemoryTests\""), "\(text)")
  }

  private static func base(of url: URL) -> String {
    "\(url.scheme ?? "")://\(url.host ?? ""):\(url.port ?? 0)"
  }
}
