import Foundation
import Testing
import URLLoadingTestServers

/// Runs the samples as a user would.
@Suite struct SamplesTests {
  @Test func privateSchemeLoadsFourSchemes() async throws {
    let server = try await NginxServer.shared
    let file = server.documentRoot.appendingPathComponent("small.txt")
    let output = try await Self.check(
      "PrivateScheme", ["data:,Hi", file.absoluteString, server.url().absoluteString, "greeting://you"])
    let start = String(decoding: DocumentRoot.small.prefix(40), as: UTF8.self)
    #expect(
      output == """
        data:,Hi text/plain 2 Hi
        \(file.absoluteString) text/plain 1024 \(start)
        \(server.url().absoluteString) text/plain 1024 \(start)
        greeting://you text/plain 11 Hello, you!

        """)
  }

  @Test func loadEverythingReportsOnEach() async throws {
    let server = try await NginxServer.shared
    let ftp = try await FTPServer.shared
    let urls = [
      "data:text/html,<p>", server.documentRoot.appendingPathComponent("data.json").absoluteString,
      server.url("/empty.bin").absoluteString, ftp.url().absoluteString,
    ]
    let lines = try await Self.check("LoadEverything", urls).split(separator: "\n")
    #expect(lines.count == 4)
    #expect(lines.first == "data\ttext/html\t3 bytes\t<p>")
    #expect(lines.dropFirst().first?.hasPrefix("file\tapplication/json\t") == true)
    #expect(lines.dropFirst(2).first == "http\t200 application/octet-stream\t0 bytes\t")
    #expect(lines.last == "ftp\ttext/plain\t1024 bytes\tsmall line 000..")
  }

  @Test func loadEverythingFailsWithOneThatFails() async throws {
    let outcome = try await Command.run(Self.program("LoadEverything"), ["data:,a", "nothing://here"])
    #expect(outcome.status == .exited(1))
    #expect(outcome.text.contains("nothing\tfailed: ") && outcome.text.contains("data, file"))
  }

  @Test func delegateDownloadResumes() async throws {
    let server = try await NginxServer.shared
    let folder = try TemporaryDirectory("sample")
    let target = folder.file("large.bin")
    // Slow enough to be cancelled on the way: nginx gives the first second's worth at once.
    let url = server.url("/slow/large.bin?rate=3m")
    let output = try await Self.check("DelegateDownload", [url.absoluteString, target.path])
    #expect(output.contains("goes on at byte "))
    #expect(try TestFiles.firstDifference(in: target, count: DocumentRoot.largeSize) == nil)
    #expect(await server.waitForAccess("/slow/large.bin?rate=3m 206"))
  }

  @Test func backgroundDownloadsAreTakenLater() async throws {
    let server = try await NginxServer.shared
    let service = try ServiceFolder()
    let (folder, environment) = (service.folder, service.environment)
    let arguments = [folder.path, server.url().absoluteString, server.url("/large.bin").absoluteString]
    let queued = try await Command.run(Self.program("BackgroundDownload"), arguments, environment: environment)
    let taken = try await Command.run(Self.program("BackgroundDownload"), [folder.path], environment: environment)
    // What is there before the first program goes is taken by that one; perhaps by both, where the first ends on the way.
    let lines = Set((queued.text + taken.text).split(separator: "\n"))
    #expect(
      lines == ["queued large.bin", "queued small.txt", "took large.bin", "took small.txt"],
      "\(queued.error) \(taken.error)")
    #expect(try TestFiles.firstDifference(in: folder.file("large.bin"), count: DocumentRoot.largeSize) == nil)
    withExtendedLifetime(service) {}
  }

  @Test func lineClientBeginsTLS() async throws {
    let server = try await StartTLSServer.start()
    let authority = try await TestCertificates.shared.authority
    let outcome = try await Command.run(
      Self.program("LineClient"), ["127.0.0.1", String(server.port), "echo clear", "STARTTLS", "echo secret"],
      environment: ["AUTHORITY": authority.path])
    #expect(outcome.status == .exited(0))
    #expect(outcome.text == "clear\ngo\nsecret\n")
    await server.stop()
  }

  @Test func eventLogSaysWhereResponsesComeFrom() async throws {
    let server = try ScriptedServer.http { _ in HTTPResponse(fields: ["Cache-Control": "max-age=60"], text: "x") }
    let folder = try TemporaryDirectory("sample")
    let output = try await Self.check("EventLog", [server.url().absoluteString, folder.file("loads.har").path])
    #expect(
      output == """
        the server is asked, because nothing is stored for the URL
        the cache answers, because it is fresh

        """)
    let guide = PackageFolder.root.appending(path: "Sources/URLLoading/URLLoading.docc/Events.md")
    let sample = PackageFolder.root.appending(path: "Samples/EventLog/SourceLog.swift")
    let code = try String(contentsOf: sample, encoding: .utf8).replacing("import URLLoading\n\n", with: "")
    #expect(try String(contentsOf: guide, encoding: .utf8).contains(code), "the guide does not show the sample")
  }

  @Test func combineUsersSharesOneLoadAndFallsBack() async throws {
    let user = #"{"name": "Grace", "userID": "7"}"#
    let server = try ScriptedServer.http { request in
      request.path == "/users/missing" ? HTTPResponse(404) : HTTPResponse(text: user)
    }
    let urls = [server.url("/users"), server.url("/fallback")]
    let output = try await Self.check("CombineUsers", urls.map(\.absoluteString))
    #expect(output == "user: Grace, 7\nstatus: 200\nuser: Grace, 7\n")
    #expect(server.requests.map(\.path) == ["/users", "/users/missing", "/users/missing", "/fallback"])
  }

  @Test func theGuideShowsTheModuleThatTheSnippetsImport() throws {
    let guide = "Sources/URLLoadingCombine/URLLoadingCombine.docc/URLLoadingCombine.md"
    let module = "Samples/Snippets/Modules/Combine/Combine.swift"
    let texts = try [guide, module].map {
      try String(contentsOf: PackageFolder.root.appending(path: $0), encoding: .utf8)
    }
    #expect(texts[0].contains("```swift\n\(texts[1])```\n"))
  }

  @Test func memorySchemeStoresAndLoads() async throws {
    let output = try await Self.check("MemoryScheme", ["Grüße from memory"])
    #expect(output == "Grüße from memory\nbytes 14-18/19 emory\n")
  }

  @Test func directSchemeLoadsTwoSchemes() async throws {
    let server = try await NginxServer.shared
    let output = try await Self.check(
      "DirectScheme", ["square://12", "square://-46341", server.url("/empty.bin").absoluteString])
    #expect(
      output == """
        square://12 text/plain 144
        square://-46341 text/plain 2147488281
        \(server.url("/empty.bin").absoluteString) application/octet-stream\u{20}

        """)
  }

  @Test func directSchemeFailsWithoutANumber() async throws {
    let outcome = try await Command.run(Self.program("DirectScheme"), ["square://large"])
    #expect(outcome.status != .exited(0))
    #expect(outcome.error.contains("square://12"), "\(outcome.error)")
  }

  @Test func sftpFilesStoresListsAndLoads() async throws {
    let server = try await SSHServer.start()
    let home = try TemporaryDirectory("home")
    let key = try await SSHServer.clientKeys.ed25519.file.path
    try home.write(".ssh/known_hosts", server.knownHosts)
    try home.write(".ssh/config", "IdentityFile \"\(key)\"\n")
    chmod(home.file(".ssh/config").path, 0o600)
    let outcome = try await Command.run(
      Self.program("SFTPFiles"), [server.url("/~/").absoluteString],
      environment: ["CFFIXED_USER_HOME": home.path, "SSH_AUTH_SOCK": nil])
    #expect(outcome.text == "file 15 greeting.txt\nHello over SSH. text/plain\nSSH.\n", "\(outcome.error)")
    #expect(try Data(contentsOf: server.home.appendingPathComponent("greeting.txt")) == Data("Hello over SSH.".utf8))
    await server.stop()
  }

  /// The README shows a whole program: it is the sample that is tested here.
  @Test func readmeShowsThePrivateSchemeSample() throws {
    let readme = try String(contentsOf: PackageFolder.root.appendingPathComponent("README.md"), encoding: .utf8)
    let sample = try String(
      contentsOf: PackageFolder.root.appendingPathComponent("Samples/PrivateScheme/PrivateScheme.swift"),
      encoding: .utf8)
    #expect(readme.contains("```swift\n\(sample)```\n"))
  }

  private static func check(_ name: String, _ arguments: [String]) async throws -> String {
    String(decoding: try await Command.check(program(name), arguments), as: UTF8.self)
  }

  /// A built program, beside the test bundle.
  private static func program(_ name: String) -> String { BuiltProgram.path("URLLoading\(name)") }
}
