import Foundation
import Testing
import URLLoadingTestServers

/// Bodies that are there once: standard input and pipes.
@Suite(.timeLimit(.minutes(2))) struct UploadInputTests {
  private static func echo() throws -> ScriptedServer {
    try ScriptedServer.http {
      HTTPResponse(text: "\($0.method) \($0.path) \(String(decoding: $0.body, as: UTF8.self))")
    }
  }

  @Test func whatWasReadIsNotSentAsNothing() async throws {
    let bodies = Watched<[String]>([])
    let server = try ScriptedServer.http { request in
      bodies.update { $0.append(String(decoding: request.body, as: UTF8.self)) }
      return HTTPResponse(503, text: "later")
    }
    let url = server.url().absoluteString
    let outcome = try await Urlload.run(["--retry", "3", "-T", "-", url], input: Data("contents".utf8))
    #expect(outcome.status == .exited(8), "\(outcome.error)")
    #expect(outcome.error.contains("cannot be sent again"), "\(outcome.error)")
    #expect(bodies.value == ["contents"])
  }

  @Test func whatWasNotReadIsSentLater() async throws {
    let port = try FreePort.pick()
    let folder = try TemporaryDirectory("urlload")
    try folder.write("input", "contents")
    let process = try ChildProcess(
      BuiltProgram.path("urlload"),
      ["--retry", "100", "--retry-delay", "0.05", "-T", "-", "http://127.0.0.1:\(port)/"],
      input: folder.file("input"), output: folder.file("output"), error: folder.file("error"))
    let hasTried = try await eventually {
      try String(contentsOf: folder.file("error"), encoding: .utf8).contains("attempt 2 of 101")
    }
    #expect(hasTried)
    let server = try ScriptedServer.http(port: port) { HTTPResponse(text: String(decoding: $0.body, as: UTF8.self)) }
    #expect(await process.waitForExit() == .exited(0))
    #expect(try String(contentsOf: folder.file("output"), encoding: .utf8) == "contents")
    #expect(server.requests.count == 1)
  }

  @Test(arguments: ["-d @-", "-T -", "--data-binary @-", "-F a=@-"]) func theRestOfAFileIsSent(option: String)
    async throws
  {
    let server = try Self.echo()
    let folder = try TemporaryDirectory("urlload")
    // read(1) takes a line of a file, byte by byte.
    let file = try folder.write("input", "first\nsecond").path
    let outcome = try await Urlload.shell(
      "{ read -r line; \"$0\" \(option) \"$1\"; } < \"$2\"", [server.url().absoluteString, file])
    #expect(outcome.text.contains("second") && !outcome.text.contains("first"), "\(outcome.text)\(outcome.error)")
  }

  /// Neither a file nor a short pipe is copied into a file: the folder for such files is not there.
  @Test func aFormIsReadFromItsFiles() async throws {
    let server = try ScriptedServer.http { request in
      let body = request.body
      let isCounted = request.fields["Content-Length"] == String(body.count)
      let others = ["piped", "field"].map { body.range(of: Data($0.utf8)) != nil }
      return HTTPResponse(text: "\(isCounted) \(body.count(where: { $0 == UInt8(ascii: "#") })) \(others)")
    }
    let folder = try TemporaryDirectory("urlload")
    let file = try folder.write("big", String(repeating: "#", count: 3_000_000)).path
    let outcome = try await Urlload.shell(
      "TMPDIR=/does/not/exist \"$0\" -F file=@\"$2\" -F 'pipe=@'<(printf piped) -F text=field \"$1\"",
      [server.url().absoluteString, file])
    #expect(outcome.status == .exited(0), "\(outcome.error)")
    #expect(outcome.text == "true 3000000 [true, true]")
    let missing = try await Urlload.run(["-F", "a=@/does/not/exist", server.url().absoluteString])
    #expect(missing.status == .exited(11) && missing.error.contains("/does/not/exist"), "\(missing.error)")
  }

  /// The first answer asks for the body again.
  @Test(arguments: ["-F 'a=@-' < <(cat \"$2\")", "-F 'a=@'<(cat \"$2\")", "-F 'a=<'<(cat \"$2\")", "-F 'a=<'\"$2\""])
  func partsWithoutLengthAreNotKeptInMemory(option: String) async throws {
    let content = TestFiles.pattern(count: 3_000_000, seed: 34)
    let isFirst = Watched(true)
    let server = try ScriptedServer.http { request in
      let body = request.body
      let isWhole = body.range(of: content) != nil && request.fields["Content-Length"] == String(body.count)
      let hasName = body.range(of: Data("filename=".utf8)) != nil
      let isRefused = isFirst.update { isFirst in
        defer { isFirst = false }
        return isFirst
      }
      return HTTPResponse(isRefused ? 503 : 200, text: "\(isWhole) \(hasName)")
    }
    let folder = try TemporaryDirectory("urlload")
    let file = try folder.write("big", content).path
    let temporary = folder.file("temporary")
    try FileManager.default.createDirectory(at: temporary, withIntermediateDirectories: true)
    let url = server.url().absoluteString
    let command = "\"$0\" -X PUT --retry 1 --retry-delay 0.01 \"$1\" \(option)"
    let outcome = try await Urlload.shell("export TMPDIR=\"$3\"; \(command)", [url, file, temporary.path])
    #expect(outcome.status == .exited(0), "\(outcome.error)")
    #expect(outcome.text == "true \(option.contains("@"))", "\(outcome.error)")
    #expect(server.requests.count == 2)
    #expect(try FileManager.default.contentsOfDirectory(atPath: temporary.path).isEmpty)
    // A file is read where it is.
    let isSpooled = option.contains("cat")
    let without = try await Urlload.shell("export TMPDIR=/does/not/exist; \(command)", [url, file])
    #expect(without.status == .exited(isSpooled ? 11 : 0), "\(without.error)")
    #expect(!isSpooled || without.error.contains("/does/not/exist"), "\(without.error)")
  }

  @Test func aSocketIsRead() async throws {
    let server = try Self.echo()
    let script = """
      import socket, subprocess, sys
      ours, theirs = socket.socketpair()
      process = subprocess.Popen(sys.argv[1:], stdin=theirs)
      theirs.close(); ours.sendall(b"over a socket"); ours.close()
      sys.exit(process.wait())
      """
    for option in [["-d", "@-"], ["-T", "-"]] {
      let outcome = try await Command.run(
        "python3", ["-c", script, BuiltProgram.path("urlload")] + option + [server.url().absoluteString])
      #expect(outcome.text.hasSuffix(" over a socket"), "\(outcome.text)\(outcome.error)")
    }
  }

  @Test func aPipeThatNobodyWritesTakesTooLong() async throws {
    let server = try Self.echo()
    let folder = try TemporaryDirectory("urlload")
    #expect(mkfifo(folder.file("fifo").path, 0o600) == 0)
    let outcome = try await Urlload.run(["-m", "0.5", "-T", "fifo", server.url("/x").absoluteString], in: folder)
    #expect(outcome.status == .exited(6), "\(outcome.error)")
  }

  @Test func pipesAreUploaded() async throws {
    let server = try Self.echo()
    let url = server.url("/folder/").absoluteString
    let outcome = try await Urlload.shell("\"$0\" -T <(printf 'of a process') \"$1\"", [url + "x"])
    #expect(outcome.text == "PUT /folder/x of a process", "\(outcome.error)")
    let folder = try TemporaryDirectory("urlload")
    let fifo = try await Urlload.shell(
      "cd \"$2\"; mkfifo fifo; { printf fifo > fifo; } & \"$0\" -T fifo \"$1\"", [url, folder.path])
    #expect(fifo.text == "PUT /folder/fifo fifo", "\(fifo.error)")
  }
}
