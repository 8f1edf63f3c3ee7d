import Foundation
import Testing
import URLLoadingBase
import URLLoadingTestServers

/// What goes wrong: one line, and an exit code.
@Suite struct FailureTests {
  @Test(
    arguments: [
      ([], 2), (["--nonsense", "data:,a"], 2), (["-o", "a", "-O", "data:,a"], 2),
      (["-o", "a", "-o", "a", "data:,a", "data:,b"], 2), (["-r", "b-a", "data:,a"], 2), (["-H", "none", "data:,a"], 2),
      (["--max-time", "-1", "data:,a"], 2), (["--retry", "-1", "data:,a"], 2), (["--parallel-max", "0", "data:,a"], 2),
      (["-T", "/does/not/exist", "http://127.0.0.1/"], 11), (["-T", "a", "-d", "a", "data:,a"], 2),
      (["--cacert", "/does/not/exist", "data:,a"], 11), (["-d", "@/does/not/exist", "http://127.0.0.1/"], 11),
      (["nonsense"], 3), (["nothing://here"], 3), (["file:///does/not/exist"], 9), (["file:///"], 9),
      (["http://urlload.invalid/"], 4),
    ] as [([String], Int32)])
  func saysWhatIsWrongOnOneLine(arguments: [String], code: Int32) async throws {
    let outcome = try await Urlload.run(arguments)
    #expect(outcome.status == .exited(code), "\(outcome.error)")
    #expect(outcome.output.isEmpty)
    #expect(outcome.error.hasPrefix("urlload: "))
    #expect(outcome.error.split(separator: "\n").count == 1, "\(outcome.error)")
  }

  @Test(
    arguments: [
      (["-H", "X-Key: sec\nret"], "X-Key"), (["-H", "X-Key: sec\rret"], "X-Key"), (["-H", "X Key: secret"], "X Key"),
      (["-H", "X\u{1B}[2J: secret"], "X"), (["-H", "\n: secret"], "name"), (["-X", "A B"], "A B"),
      (["-X", "GET\r\nX: y"], "method"), (["-X", ""], "method"),
    ])
  func namesTheFieldOrMethodThatCannotBeSentAndNoSecret(options: [String], named: String) async throws {
    let server = try ScriptedServer.http { _ in HTTPResponse() }
    let outcome = try await Urlload.run(options + [server.url().absoluteString])
    #expect(outcome.status == .exited(2), "\(outcome.error)")
    #expect(outcome.error.contains(named) && !outcome.error.contains("ret"), "\(outcome.error)")
    #expect(outcome.error.split(separator: "\n").count == 1 && outcome.error.utf8.allSatisfy { $0 != 0x1B && $0 != 13 })
    #expect(server.connectionCount == 0)
  }

  @Test func namesTheSchemesThatAreThere() async throws {
    let outcome = try await Urlload.run(["nothing://here"])
    #expect(outcome.error.contains("\"nothing\"") && outcome.error.contains("http, https"))
  }

  @Test(arguments: [
    (["-d", "x=1"], "POST"), (["-d", "x=1", "-X", "GET"], "GET takes no body"), (["-d", "x=1", "-I"], "POST"),
    (["-d", "x=1", "-X", "HEAD"], "HEAD takes no body"), (["-X", "LOCK"], "LOCK"), (["-X", "PUT"], "PUT"),
    (["-X", "POST"], "POST"), (["-T", "other", "-X", "POST"], "POST"), (["-d", "", "-X", "GET"], "GET"),
  ])
  func whatASchemeDoesNotCarryOutTouchesNothing(_ options: [String], _ words: String) async throws {
    let folder = try TemporaryDirectory("urlload")
    let ftp = try await FTPServer.start()
    let kept = try folder.write("kept", "old")
    try folder.write("other", "new")
    let remote = ftp.documentRoot.appendingPathComponent("kept")
    try Data("old".utf8).write(to: remote)
    let login = "\(FTPServer.user):\(FTPServer.password)"
    for (url, file) in [(kept.absoluteString, kept), (ftp.url("/kept").absoluteString, remote)] {
      let outcome = try await Urlload.run(options + ["-u", login, url], in: folder)
      #expect(outcome.status == .exited(2), "\(outcome.error)")
      #expect(outcome.output.isEmpty)
      #expect(outcome.error.contains(words) && outcome.error.split(separator: "\n").count == 1, "\(outcome.error)")
      #expect(try String(contentsOf: file, encoding: .utf8) == "old")
    }
    await ftp.stop()
  }

  @Test func whatStoresIsPutAlone() async throws {
    let folder = try TemporaryDirectory("urlload")
    let file = try folder.write("kept", "old")
    try folder.write("other", "new")
    let put = try await Urlload.run(["-X", "PUT", "-d", "x=1", file.absoluteString])
    #expect(put.status == .exited(0), "\(put.error)")
    #expect(try String(contentsOf: file, encoding: .utf8) == "x=1")
    let sent = try await Urlload.run(["-T", "other", file.absoluteString], in: folder)
    #expect(sent.status == .exited(0), "\(sent.error)")
    #expect(try String(contentsOf: file, encoding: .utf8) == "new")
    let data = try await Urlload.run(["-T", "other", "data:,x"], in: folder)
    #expect(data.status == .exited(2) && data.output.isEmpty)
    #expect(data.error.contains("\"data\" carries out GET and HEAD, not PUT"), "\(data.error)")
  }

  @Test func aHeadWithABodyIsNotSent() async throws {
    let server = try ScriptedServer.http { _ in HTTPResponse(text: "x") }
    let outcome = try await Urlload.run(["-X", "HEAD", "-d", "x=1", server.url().absoluteString])
    #expect(outcome.status == .exited(2) && outcome.error.contains("HEAD takes no body"), "\(outcome.error)")
    #expect(server.requests.isEmpty)
  }

  @Test(arguments: ["file:///etc/hostname", "data:,x", "ftp://127.0.0.1/x", "nothing://here/"])
  func tellsWhereARefusedRedirectLed(_ target: String) async throws {
    let server = try ScriptedServer.http { _ in .redirect(to: target) }
    let url = server.url("/start").absoluteString
    let outcome = try await Urlload.run([url])
    #expect(outcome.status == .exited(10) && outcome.output.isEmpty)
    #expect(outcome.error.contains("the redirect from \(url) leads to \(target), and "), "\(outcome.error)")
    #expect(!outcome.error.contains("delegate") && !outcome.error.contains("\"http\""), "\(outcome.error)")
    #expect(outcome.error.split(separator: "\n").count == 1)
    if target.hasPrefix("nothing") {
      #expect(outcome.error.contains(": available are dav, davs, sftp, "), "\(outcome.error)")
    }
  }

  @Test func suggestsTheURLOfAFile() async throws {
    let folder = try TemporaryDirectory("urlload")
    try folder.write("a b.txt", "")
    let outcome = try await Urlload.run(["a b.txt"], in: folder)
    #expect(outcome.status == .exited(3))
    #expect(outcome.error.hasSuffix("/a%20b.txt\n"), "\(outcome.error)")
  }

  @Test func nobodyAnswers() async throws {
    let port = try FreePort.pick()
    let outcome = try await Urlload.run(["http://127.0.0.1:\(port)/"])
    #expect(outcome.status == .exited(4))
    #expect(outcome.error.contains("http://127.0.0.1:\(port)/: check the port"))
  }

  @Test func takesTooLong() async throws {
    let server = try ScriptedServer { connection in
      _ = try connection.readRequestHead()
      _ = connection.waitForPeerClose(timeout: .seconds(20))
    }
    let outcome = try await Urlload.run(["--max-time", "0.3", server.url().absoluteString])
    #expect(outcome.status == .exited(6))
    #expect(outcome.error.contains("--max-time"))
  }

  @Test func aServersErrorGivesItsBodyButNoFile() async throws {
    let server = try await NginxServer.shared
    let url = server.url("/status/404").absoluteString
    let shown = try await Urlload.run([url])
    #expect(shown.status == .exited(8))
    #expect(shown.text == "status 404\n")
    let folder = try TemporaryDirectory("urlload")
    let kept = try await Urlload.run(["-o", "a", url], in: folder)
    #expect(kept.status == .exited(8))
    #expect(try Urlload.names(in: folder).isEmpty)
    #expect(kept.error.contains("404") && kept.error.contains(url))
  }

  @Test func ftpFailuresAreToldApart() async throws {
    let ftp = try await FTPServer.shared
    let missing = try await Urlload.run([ftp.url("/missing").absoluteString])
    #expect(missing.status == .exited(9), "\(missing.error)")
    let refused = try await Urlload.run(["-u", "user:wrong", ftp.url().absoluteString])
    #expect(refused.status == .exited(7), "\(refused.error)")
  }

  @Test func passwordsStayOutOfMessages() async throws {
    let port = try FreePort.pick()
    let outcome = try await Urlload.run(["http://me:secret@127.0.0.1:\(port)/"])
    #expect(outcome.status == .exited(4))
    #expect(!outcome.error.contains("secret"), "\(outcome.error)")
  }

  @Test func controlCharactersOfServersDoNotReachTheTerminal() async throws {
    let server = try ScriptedServer { connection in
      _ = try connection.readRequestHead()
      try connection.send("HTTP/1.1 200 OK\r\nX-Evil: \u{1B}[31mred\r\nContent-Length: 0\r\n\r\n")
    }
    let outcome = try await Urlload.run(["-v", server.url().absoluteString])
    #expect(!outcome.error.contains("\u{1B}"))
  }

  @Test func helpTellsTheExitCodes() async throws {
    let outcome = try await Urlload.run(["--help"])
    #expect(outcome.status == .exited(0))
    #expect(outcome.text.contains("EXAMPLES:") && outcome.text.contains("130  Ctrl-C"))
    let version = try await Urlload.run(["--version"]).text
    #expect(
      version.hasPrefix("urlload \(PackageVersion.current) libcurl/") && version.contains(" OpenSSL/"), "\(version)")
    #expect(
      version.contains(" libssh2/") && version.contains(" libarchive/") && version.contains("\nFeatures: "),
      "\(version)")
    #expect(
      version.contains("\nSchemes: archive data dav davs file ftp ftps http http+unix https https+unix"), "\(version)")
    #expect(try await Urlload.run(["-V"]).text == version)
    let manual = try String(
      contentsOf: PackageFolder.root.appendingPathComponent("Documentation/urlload.1"), encoding: .utf8)
    for line in outcome.text.split(separator: "\n") {
      guard let code = Int(line.prefix(5).trimmingCharacters(in: .whitespaces)), line.count > 7 else { continue }
      #expect(manual.contains("\n.B \(code)\n"), "exit code \(code) is not in the manual")
    }
  }
}
