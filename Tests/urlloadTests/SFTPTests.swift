import Foundation
import Testing
import URLLoadingTestServers

/// `sftp` URLs, with sshd and a home of the test's own.
@Suite(.timeLimit(.minutes(3))) struct SFTPTests {
  private let server: SSHServer
  private let folder: TemporaryDirectory

  init() async throws {
    server = try await SSHServer.shared
    folder = try TemporaryDirectory("urlload-home")
    let key = try await SSHServer.clientKeys.ed25519.file.path
    try folder.write(".ssh/known_hosts", server.knownHosts)
    try folder.write(".ssh/config", "Host *\n  IdentityFile \"\(key)\"\n  IdentitiesOnly yes\n")
    chmod(folder.file(".ssh/config").path, 0o600)
  }

  private func run(_ arguments: [String], input: Data? = nil) async throws -> Command.Outcome {
    try await Urlload.run(
      arguments, input: input, environment: ["CFFIXED_USER_HOME": folder.path, "SSH_AUTH_SOCK": nil], in: folder)
  }

  /// A folder of the server's that is this test's own.
  private func place() throws -> (name: String, url: URL) {
    let name = "urlload-\(UInt64.random(in: 0 ... .max))"
    let url = server.home.appendingPathComponent(name)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    return (name, url)
  }

  private func url(_ path: String) -> String { server.url("/~/" + path).absoluteString }

  @Test func loadsRangesAndHeads() async throws {
    let (name, place) = try place()
    let contents = TestFiles.pattern(count: 3_000_000)
    try contents.write(to: place.appendingPathComponent("größe 1%.bin"))
    let url = url("\(name)/größe 1%.bin")
    let whole = try await run(["-O", url])
    #expect(whole.status == .exited(0), "\(whole.error)")
    let loaded = try Data(contentsOf: folder.file("größe 1%.bin"))
    #expect(TestFiles.firstDifference(loaded, contents) == nil)
    #expect(try await run(["-r", "1000-1999", url]).output == contents[1000..<2000])
    #expect(try await run(["-r", "-5", url]).output == contents.suffix(5))
    #expect(try await run(["-I", url]).text.contains("3000000"))
    let verbose = try await run(["-v", "-r", "0-0", url]).error
    #expect(
      verbose.contains("* peer: sftp/") && verbose.contains("key exchange") && !verbose.contains("TLS"), "\(verbose)")
  }

  @Test func uploadsAndReplaces() async throws {
    let (name, place) = try place()
    let contents = TestFiles.pattern(count: 1_000_000, seed: 4)
    try folder.write("a b.bin", contents)
    // With a slash at its end, the URL is a folder.
    let outcome = try await run(["-T", "a b.bin", url("\(name)/")])
    #expect(outcome.status == .exited(0), "\(outcome.error)")
    #expect(try TestFiles.firstDifference(Data(contentsOf: place.appendingPathComponent("a b.bin")), contents) == nil)
    let replacing = try await run(["-T", "-", url("\(name)/a b.bin")], input: Data("new".utf8))
    #expect(replacing.status == .exited(0), "\(replacing.error)")
    #expect(try Data(contentsOf: place.appendingPathComponent("a b.bin")) == Data("new".utf8))
    #expect(try FileManager.default.contentsOfDirectory(atPath: place.path) == ["a b.bin"])
    let nowhere = try await run(["-T", "a b.bin", url("\(name)/no/x")])
    #expect(nowhere.status == .exited(9), "\(nowhere.error)")
  }

  @Test func lists() async throws {
    let (name, place) = try place()
    try Data("12345".utf8).write(to: place.appendingPathComponent("new\nline ü"))
    try FileManager.default.createDirectory(
      at: place.appendingPathComponent("d"), withIntermediateDirectories: true)
    try Data().write(to: place.appendingPathComponent("d/x"))
    let recursive = try await run(["ls", "-R", "--json", url(name)])
    #expect(recursive.status == .exited(0), "\(recursive.error)")
    let objects = try recursive.text.split(separator: "\n").map {
      try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
    #expect(objects.compactMap { $0["name"] as? String }.sorted() == ["d", "new\nline ü", "x"])
    let file = try #require(objects.first { $0["size"] as? Int == 5 })
    let loaded = try await run([try #require(file["url"] as? String)])
    #expect(loaded.text == "12345", "\(loaded.error)")
    let notThere = try await run(["ls", url("\(name)/missing")])
    #expect(notThere.status == .exited(9) && notThere.error.contains("no such directory"), "\(notThere.error)")
    #expect(try await run(["ls", url("\(name)/d/x")]).status == .exited(9))
  }

  @Test func anUnknownServerIsSaidOnOneLine() async throws {
    try folder.write(".ssh/known_hosts", "")
    let outcome = try await run([url("x")])
    let fingerprint = try await SSHKeys.fingerprint(server.hostKeys[0])
    #expect(outcome.status == .exited(5), "\(outcome.error)")
    #expect(outcome.output.isEmpty)
    #expect(!outcome.error.contains("certificate"))
    #expect(outcome.error.contains(fingerprint) && outcome.error.split(separator: "\n").count == 1, "\(outcome.error)")
  }

  @Test func aLoginThatIsRefused() async throws {
    try folder.write(".ssh/config", "")
    let outcome = try await run([url("x")])
    #expect(outcome.status == .exited(7), "\(outcome.error)")
    #expect(outcome.error.split(separator: "\n").count == 1, "\(outcome.error)")
  }

  @Test func aPasswordIsTakenFromItsOption() async throws {
    let server = try await PasswordSSHServer.start()
    try Data("contents".utf8).write(to: server.home.appendingPathComponent("f"))
    try folder.write(".ssh/known_hosts", "[127.0.0.1]:\(server.port) \(server.hostKey.publicLine)\n")
    let login = "\(PasswordSSHServer.user):\(PasswordSSHServer.password)"
    let url = "sftp://127.0.0.1:\(server.port)/"
    let loaded = try await run(["-u", login, url + "f"])
    #expect(loaded.text == "contents", "\(loaded.error)")
    let listed = try await run(["ls", "--json", "-u", login, url])
    #expect(listed.text.contains("\"f\"") && !listed.text.contains("word"), "\(listed.error)")
    let refused = try await run(["-u", "\(PasswordSSHServer.user):wrong-one", url + "f"])
    #expect(refused.status == .exited(7) && !refused.error.contains("wrong-one"), "\(refused.error)")
    await server.stop()
  }

  private func run(_ arguments: [String], typing answers: [String]) async throws -> Command.Outcome {
    try await Urlload.atTerminal(
      arguments, typing: answers, environment: ["CFFIXED_USER_HOME": folder.path, "SSH_AUTH_SOCK": nil], in: folder)
  }

  @Test func aPassphraseIsAskedForAtTheTerminal() async throws {
    let (name, place) = try place()
    try Data("contents".utf8).write(to: place.appendingPathComponent("f"))
    let key = folder.file("key")
    for suffix in ["", ".pub"] {
      try FileManager.default.copyItem(
        atPath: try await SSHServer.clientKeys.ed25519.file.path + suffix, toPath: key.path + suffix)
    }
    try await Command.check("ssh-keygen", ["-q", "-p", "-P", "", "-N", "open sesame", "-f", key.path])
    try folder.write(".ssh/config", "Host *\n  IdentityFile \"\(key.path)\"\n  IdentitiesOnly yes\n")
    let loaded = try await run(["-o", "out", url("\(name)/f")], typing: ["wrong one", "open sesame"])
    #expect(loaded.status == .exited(0), "\(loaded.text)")
    #expect(try String(contentsOf: folder.file("out"), encoding: .utf8) == "contents")
    #expect(loaded.text.contains("Passphrase for the key \(key.path): "), "\(loaded.text)")
    #expect(loaded.text.contains("That was not right. Passphrase for"), "\(loaded.text)")
    #expect(!loaded.text.contains("sesame"))
    let listed = try await run(["ls", url(name)], typing: ["open sesame"])
    #expect(listed.status == .exited(0) && listed.text.hasSuffix("f\r\n"), "\(listed.text)")
    let givenUp = try await run([url("\(name)/f")], typing: [""])
    #expect(givenUp.status == .exited(7), "\(givenUp.text)")
    #expect(try await run([url("\(name)/f")]).status == .exited(7))
  }

  @Test func aPasswordIsAskedForAtTheTerminal() async throws {
    let server = try await PasswordSSHServer.start()
    try Data("contents".utf8).write(to: server.home.appendingPathComponent("f"))
    try folder.write(".ssh/known_hosts", "[127.0.0.1]:\(server.port) \(server.hostKey.publicLine)\n")
    let url = "sftp://\(PasswordSSHServer.user)@127.0.0.1:\(server.port)/f"
    let loaded = try await run(["-o", "out", url], typing: [PasswordSSHServer.password])
    #expect(loaded.status == .exited(0), "\(loaded.text)")
    #expect(try String(contentsOf: folder.file("out"), encoding: .utf8) == "contents")
    #expect(loaded.text.contains("127.0.0.1") && !loaded.text.contains(PasswordSSHServer.password), "\(loaded.text)")
    await server.stop()
  }

  /// Wherever an upload's process is killed, the target is the old file or the new one.
  @Test func aKilledUploadLeavesNothingHalf() async throws {
    let (name, place) = try place()
    let target = place.appendingPathComponent("f")
    // What the last killed process had asked for may be done after it was looked at.
    var earlier = [Data("old".utf8)]
    try earlier[0].write(to: target)
    for round in 0..<8 {
      let new = TestFiles.pattern(count: 30_000_000, seed: UInt64(round) + 70)
      try folder.write("new", new)
      let process = try ChildProcess(
        BuiltProgram.path("urlload"), ["-T", "new", url("\(name)/f")], environment: ["CFFIXED_USER_HOME": folder.path],
        directory: folder.url, output: folder.file("log"), error: folder.file("log"))
      let wanted = Int.random(in: 0..<30_000_000)
      let isOnItsWay = try await eventually(interval: .milliseconds(1)) {
        if process.exitStatus != nil { return true }
        let names = try FileManager.default.contentsOfDirectory(atPath: place.path)
        return names.contains { name in
          var status = stat()
          return name != "f" && stat(place.appendingPathComponent(name).path, &status) == 0 && status.st_size >= wanted
        }
      }
      process.send(signal: SIGKILL)
      #expect(isOnItsWay)
      _ = await process.waitForExit()
      let contents = try Data(contentsOf: target)
      #expect((earlier + [new]).contains { TestFiles.firstDifference($0, contents) == nil }, "round \(round)")
      earlier = [contents, new]
      for name in try FileManager.default.contentsOfDirectory(atPath: place.path) where name != "f" {
        #expect(name.hasPrefix(".f.") && name.hasSuffix(".part"))
        // What the next round waits for is its own.
        try FileManager.default.removeItem(at: place.appendingPathComponent(name))
      }
    }
    let outcome = try await run(["-T", "new", url("\(name)/f")])
    #expect(outcome.status == .exited(0), "\(outcome.error)")
    let stored = try Data(contentsOf: target)
    #expect(TestFiles.firstDifference(stored, TestFiles.pattern(count: 30_000_000, seed: 77)) == nil)
  }

  /// A listing of 100,000 long names takes little more memory than one of ten.
  @Test(.enabled(if: !Sanitizing.isOn)) func aLongListingTakesLittleMemory() async throws {
    let (name, place) = try place()
    for (folder, count) in [("few", 10), ("many", 100_000)] {
      let path = place.appendingPathComponent(folder).path
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      for number in 0..<count { close(open("\(path)/\(String(repeating: "x", count: 200))\(number)", O_CREAT, 0o600)) }
    }
    let (few, fewLines) = try await peak(listing: url("\(name)/few"))
    let (many, manyLines) = try await peak(listing: url("\(name)/many"))
    #expect(fewLines == 10 && manyLines == 100_000)
    #expect(many - few < 10_000_000, "\(few) bytes for a short one, \(many) for a long one")
  }

  /// The largest resident size of the command, and how many lines it wrote.
  private func peak(listing url: String) async throws -> (bytes: Int, lines: Int) {
    let code = """
      import resource, subprocess, sys
      child = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE)
      lines = sum(1 for _ in child.stdout)
      print(child.wait(), lines, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024)
      """
    let outcome = try await Command.run(
      "/usr/bin/python3", ["-c", code, BuiltProgram.path("urlload"), "ls", url],
      environment: ["CFFIXED_USER_HOME": folder.path, "SSH_AUTH_SOCK": nil])
    let numbers = outcome.text.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
    guard numbers.count == 3, numbers[0] == 0 else { throw TestServerError("\(outcome.text) \(outcome.error)") }
    return (numbers[2], numbers[1])
  }
}
