import Foundation
import Testing
import URLLoadingTestServers

@Suite struct ListTests {
  private let folder: TemporaryDirectory

  init() throws {
    folder = try TemporaryDirectory("urlload")
  }

  private var url: String { folder.url.absoluteString }

  @Test func listsNames() async throws {
    try folder.write("a b.txt", "12345")
    try folder.write("folder/x", "")
    let outcome = try await Urlload.run(["ls", url])
    #expect(outcome.status == .exited(0), "\(outcome.error)")
    #expect(outcome.text.split(separator: "\n").sorted() == ["a b.txt", "folder"])
    #expect(outcome.error.isEmpty)
  }

  @Test func aFolderThatIsForbiddenDoesNotEndTheList() async throws {
    for name in ["a/1", "b/2", "c/3"] { try folder.write(name, "") }
    chmod(folder.path, 0o755)
    chmod(folder.file("b").path, 0)
    defer { chmod(folder.file("b").path, 0o755) }
    // Nothing is forbidden to the superuser.
    let prefix = geteuid() == 0 ? ["setpriv", "--reuid=65534", "--clear-groups"] : []
    let outcome = try await Command.run("/usr/bin/env", prefix + [BuiltProgram.path("urlload"), "ls", "-R", url])
    #expect(outcome.status == .exited(9), "\(outcome.error)")
    #expect(outcome.text.split(separator: "\n").sorted() == ["a", "a/1", "b", "c", "c/3"])
    #expect(outcome.error.contains("no permission to list this directory") && outcome.error.contains("/b"))
    #expect(outcome.error.split(separator: "\n").count == 1, "\(outcome.error)")
  }

  @Test func listsAtLength() async throws {
    try folder.write("a b.txt", "12345")
    var times = [timespec(tv_sec: 0, tv_nsec: 0), timespec(tv_sec: 1_700_000_000, tv_nsec: 0)]
    utimensat(AT_FDCWD, folder.file("a b.txt").path, &times, 0)
    let outcome = try await Urlload.run(["ls", "-l", url])
    #expect(outcome.text == "file                   5  2023-11-14T22:13:20Z  a b.txt\n")
  }

  @Test func listsAsJSON() async throws {
    try folder.write("new\nline \"ü\"", "12345")
    symlink("nowhere", folder.file("link").path)
    let outcome = try await Urlload.run(["ls", "--json", url])
    let objects = try outcome.text.split(separator: "\n").map {
      try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
    #expect(objects.count == 2)
    let file = try #require(objects.first { $0["kind"] as? String == "file" })
    #expect(file["name"] as? String == "new\nline \"ü\"")
    #expect(file["size"] as? Int == 5)
    #expect((file["url"] as? String)?.hasSuffix("/new%0Aline%20%22%C3%BC%22") == true)
    let date = try #require(file["modified"] as? String)
    #expect(try abs(Date(date, strategy: .iso8601).timeIntervalSinceNow) < 600)
    let link = try #require(objects.first { $0["kind"] as? String == "link" })
    #expect(link["size"] == nil)
  }

  @Test func listsFTPAndKeepsThePassword() async throws {
    var options = FTPServer.Options()
    options.allowsAnonymous = false
    let server = try await FTPServer.start(options: options)
    let login = "\(FTPServer.user):\(FTPServer.password)"
    let outcome = try await Urlload.run(["ls", "--json", "-u", login, server.url("/folder").absoluteString])
    #expect(outcome.status == .exited(0), "\(outcome.error)")
    #expect(outcome.text.contains("inner.txt") && !outcome.text.contains("p%40ss") && !outcome.text.contains("p@ss"))
    let refused = try await Urlload.run(["ls", "-u", "user:wrong", server.url("/folder").absoluteString])
    #expect(refused.status == .exited(7) && refused.output.isEmpty, "\(refused.error)")
    await server.stop()
  }

  @Test func messagesAreWantedOrNotAsForLoads() async throws {
    try folder.write("a", "")
    let verbose = try await Urlload.run(["ls", "-v", url])
    #expect(verbose.status == .exited(0) && verbose.text == "a\n")
    #expect(verbose.error.split(separator: "\n").contains { $0.hasPrefix("> ") }, "\(verbose.error)")
    let silent = try await Urlload.run(["ls", "-s", url + "missing"])
    #expect(silent.status == .exited(9) && silent.error.isEmpty, "\(silent.error)")
    let shown = try await Urlload.run(["ls", "-sS", url + "missing"])
    #expect(shown.status == .exited(9))
    #expect(shown.error.hasPrefix("urlload: there is no such directory"), "\(shown.error)")
  }

  @Test func severalAreHeadedAndTheFirstFailureCounts() async throws {
    try folder.write("one/a", "")
    try folder.write("two/b", "")
    let outcome = try await Urlload.run(["ls", url + "one", url + "missing", url + "two"])
    #expect(outcome.status == .exited(9))
    #expect(outcome.text == "\(url)one:\na\n\n\(url)missing:\n\n\(url)two:\nb\n")
    #expect(outcome.error == "urlload: there is no such directory, \(url)missing: check the path\n")
  }

  @Test(
    arguments: [
      (["ls"], 2), (["ls", "-l", "--json", "file:///"], 2), (["ls", "--nonsense", "file:///"], 2),
      (["ls", "nonsense"], 3),
      (["ls", "http://127.0.0.1/"], 3), (["ls", "nothing://x"], 3), (["ls", "data:,x"], 3),
      (["ls", "file:///etc/passwd"], 9),
      (["ls", "ftp://127.0.0.1:1/"], 4), (["ls", "--max-time", "-1", "file:///"], 2),
    ] as [([String], Int32)])
  func saysWhatIsWrongOnOneLine(arguments: [String], code: Int32) async throws {
    let outcome = try await Urlload.run(arguments)
    #expect(outcome.status == .exited(code), "\(outcome.error)")
    #expect(outcome.output.isEmpty)
    #expect(outcome.error.hasPrefix("urlload: ") && outcome.error.split(separator: "\n").count == 1, "\(outcome.error)")
  }

  @Test func namesTheSchemesThatCanBeListed() async throws {
    let outcome = try await Urlload.run(["ls", "https://example.org/"])
    #expect(
      outcome.error.hasSuffix("available are dav, davs, sftp, archive, jar, zip, file, ftp, ftps\n"), "\(outcome.error)"
    )
  }

  @Test func theWordIsOneOnlyInFront() async throws {
    let outcome = try await Urlload.run(["-o", "ls", "data:,x"], in: folder)
    #expect(outcome.status == .exited(0))
    #expect(try String(contentsOf: folder.file("ls"), encoding: .utf8) == "x")
    let help = try await Urlload.run(["ls", "--help"])
    #expect(help.status == .exited(0) && help.text.contains("--json") && !help.text.contains("--retry"))
  }

  @Test func escapesNamesOnATerminalAndNowhereElse() async throws {
    try folder.write("a\u{1B}[31m\nb\\", "")
    let raw = try await Urlload.run(["ls", url])
    #expect(raw.text == "a\u{1B}[31m\nb\\\n")
    // script(1) gives the command a terminal.
    let shown = try await Urlload.shell("script -qec \"$0 ls $1\" /dev/null </dev/null", [url])
    #expect(shown.text.replacing("\r\n", with: "\n") == "a\\u{1b}[31m\\nb\\\\\n")
  }

  @Test func endsWhenNobodyReads() async throws {
    for number in 0..<20_000 {
      close(open(folder.path + "/\(number)-\(String(repeating: "x", count: 200))", O_CREAT, 0o600))
    }
    let outcome = try await Urlload.shell("\"$0\" ls \"$1\" | head -n 1 >/dev/null; exit ${PIPESTATUS[0]}", [url])
    #expect(outcome.status == .exited(141), "\(outcome.error)")
    #expect(outcome.error.isEmpty)
  }
}
