import Foundation
import Testing
import URLLoadingTestServers

/// Where the bytes go.
@Suite struct OutputTests {
  @Test func writesToStandardOutput() async throws {
    let server = try await NginxServer.shared
    let ftp = try await FTPServer.shared
    let file = server.documentRoot.appendingPathComponent("small.txt").absoluteString
    for url in [server.url().absoluteString, ftp.url().absoluteString, file] {
      let outcome = try await Urlload.run([url])
      #expect(outcome.status == .exited(0), "\(url): \(outcome.error)")
      #expect(outcome.output == DocumentRoot.small)
      #expect(outcome.error.isEmpty)
    }
    #expect(try await Urlload.run(["data:text/plain;base64,SGVsbG8="]).text == "Hello")
  }

  /// The head is output too: with it there is more than can be counted.
  @Test func aSizeThatIsTheLargestNumberIsShown() async throws {
    let folder = try TemporaryDirectory("urlload")
    let archive = try folder.write("x.tar", SparseTar.hole(named: "x", size: UInt64(Int64.max)))
    let outcome = try await Urlload.run(["-I", "archive:\(archive.absoluteString)!/x"])
    #expect(outcome.status == .exited(0), "\(outcome.status) \(outcome.error)")
    #expect(outcome.text.contains("Content-Length: 9223372036854775807"))
  }

  @Test func trustsAnAuthorityOnlyWhenTold() async throws {
    let url = try await NginxServer.shared.url(on: .https).absoluteString
    let authority = try await TestCertificates.shared.authority.path
    #expect(try await Urlload.run(["--cacert", authority, url]).output == DocumentRoot.small)
    let refused = try await Urlload.run([url])
    #expect(refused.status == .exited(5))
    #expect(refused.error.contains("--cacert"))
  }

  @Test func writesFilesUnderTheirNames() async throws {
    let server = try await NginxServer.shared
    let folder = try TemporaryDirectory("urlload")
    try folder.write("kept.txt", "old")
    let outcome = try await Urlload.run(["-o", "kept.txt", server.url("/large.bin").absoluteString], in: folder)
    #expect(outcome.status == .exited(0), "\(outcome.error)")
    #expect(outcome.output.isEmpty && outcome.error.isEmpty)
    #expect(try TestFiles.firstDifference(in: folder.file("kept.txt"), count: DocumentRoot.largeSize) == nil)
    #expect(try Urlload.names(in: folder) == ["kept.txt"])
  }

  @Test func replacesWhatALinkPointsTo() async throws {
    let folder = try TemporaryDirectory("urlload")
    try folder.write("target", "old")
    chmod(folder.file("target").path, 0o640)
    try FileManager.default.createSymbolicLink(
      atPath: folder.file("link").path, withDestinationPath: folder.file("target").path)
    #expect(try await Urlload.run(["-o", "link", "data:,new"], in: folder).status == .exited(0))
    #expect(try String(contentsOf: folder.file("target"), encoding: .utf8) == "new")
    let attributes = try FileManager.default.attributesOfItem(atPath: folder.file("target").path)
    #expect(attributes[.posixPermissions] as? Int == 0o640)
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: folder.file("link").path).hasSuffix("target"))
  }

  @Test func suggestedNamesNeverLeaveTheFolderNorReplaceFiles() async throws {
    let server = try ScriptedServer.http { request in
      let name = request.path == "/escape" ? "../../escaped.txt" : "named.txt"
      return HTTPResponse(fields: ["Content-Disposition": "attachment; filename=\"\(name)\""], body: Data("body".utf8))
    }
    let folder = try TemporaryDirectory("urlload")
    let inner = folder.file("inner")
    try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: true)
    try folder.write("inner/named.txt", "mine")
    let urls = ["/escape", "/a", "/b"].map { server.url($0).absoluteString }
    let outcome = try await Command.run(BuiltProgram.path("urlload"), ["-O"] + urls, directory: inner)
    #expect(outcome.status == .exited(0), "\(outcome.error)")
    #expect(try Urlload.names(in: folder) == ["inner"])
    let names = try FileManager.default.contentsOfDirectory(atPath: inner.path).sorted()
    #expect(names == ["escaped.txt", "named.txt", "named.txt.1", "named.txt.2"])
    #expect(try String(contentsOf: folder.file("inner/named.txt"), encoding: .utf8) == "mine")
    #expect(outcome.error.contains("saved as named.txt.1"))
  }

  @Test(arguments: [([], 8), (["--parallel-max", "3"], 3)]) func loadsSeveralAtATime(
    options: [String], count: Int
  ) async throws {
    // Answers only when so many are there, and says how many were there at most.
    let state = Watched((running: 0, most: 0))
    let server = try ScriptedServer.http { request in
      state.update { state in
        state.running += 1
        state.most = max(state.most, state.running)
      }
      let isFull = state.waitBlocking(until: { $0.most >= count })
      defer { state.update { $0.running -= 1 } }
      guard isFull else { throw TestServerError("the others did not come") }
      return HTTPResponse(text: request.path)
    }
    let folder = try TemporaryDirectory("urlload")
    let url = server.url("/f").absoluteString + "[0-9]"
    let outcome = try await Urlload.run(options + ["-o", "f#1", url], in: folder)
    #expect(outcome.status == .exited(0), "\(outcome.error)")
    #expect(state.value.most == count)
    for number in 0...9 {
      #expect(try String(contentsOf: folder.file("f\(number)"), encoding: .utf8) == "/f\(number)")
    }
  }

  @Test func oneThatFailsDoesNotHoldUpOthers() async throws {
    let folder = try TemporaryDirectory("urlload")
    let outcome = try await Urlload.run(["-o", "a", "-o", "b", "file:///does/not/exist", "data:,b"], in: folder)
    #expect(outcome.status == .exited(9))
    #expect(try Urlload.names(in: folder) == ["b"])
    #expect(
      outcome.error == """
        urlload: there is no such file, file:///does/not/exist: check the path
        urlload: 1 of 2 URLs failed: file:///does/not/exist

        """)
  }

  @Test func aFullDiskIsAnError() async throws {
    let url = try await NginxServer.shared.url("/large.bin").absoluteString
    let file = try await Urlload.run(["-o", "/dev/full", url])
    #expect(file.status == .exited(11))
    #expect(file.error.contains("No space left on device"))
    #expect(file.error.split(separator: "\n").count == 1)
    let output = try await Urlload.shell("\"$0\" \"$1\" > /dev/full", [url])
    #expect(output.status == .exited(11))
  }

  @Test(.enabled(if: !Sanitizing.isOn)) func aLimitOfFileSizeLeavesAPart() async throws {
    let folder = try TemporaryDirectory("urlload")
    let url = try await NginxServer.shared.url("/large.bin").absoluteString
    // The signal would end it before write can tell.
    let outcome = try await Urlload.shell(
      "cd \"$2\"; trap '' XFSZ; ulimit -f 100; exec \"$0\" -o a \"$1\"", [url, folder.path])
    #expect(outcome.status == .exited(11), "\(outcome.error)")
    #expect(try Urlload.names(in: folder) == ["a.part"])
    // The record has the place of the last bytes: there was none after them.
    #expect(try Data(contentsOf: folder.file("a.part")).count <= 102_400)
    let resumed = try await Urlload.run(["-v", "-C", "-", "-o", "a", url], in: folder)
    #expect(resumed.status == .exited(0) && resumed.error.contains("bytes=10"), "\(resumed.error)")
    #expect(try TestFiles.firstDifference(in: folder.file("a"), count: DocumentRoot.largeSize) == nil)
    #expect(try Urlload.names(in: folder) == ["a"])
  }

  @Test func aClosedPipeEndsItQuietly() async throws {
    let url = try await NginxServer.shared.url("/large.bin").absoluteString
    let outcome = try await Urlload.shell("\"$0\" \"$1\" | head -c 5 >/dev/null; exit ${PIPESTATUS[0]}", [url])
    #expect(outcome.status == .exited(141))
    #expect(outcome.error.isEmpty)
  }

  /// The second answer waits until nobody reads any more.
  @Test func aClosedPipeBeginsNoOtherLoads() async throws {
    let isClosed = Watched(false)
    let server = try ScriptedServer.http { request in
      if request.path == "/closed" { isClosed.update { $0 = true } }
      if request.path != "/1", !isClosed.waitBlocking(until: { $0 }) { throw TestServerError("the pipe stays open") }
      return HTTPResponse(text: request.path)
    }
    let outcome = try await Urlload.shell(
      "\"$0\" \"$1/[1-9]\" | { head -c 1; exec <&-; \"$0\" -o /dev/null \"$1/closed\"; }; exit ${PIPESTATUS[0]}",
      [server.url("").absoluteString])
    #expect(outcome.status == .exited(141), "\(outcome.error)")
    #expect(outcome.text == "/" && outcome.error.isEmpty, "\(outcome.error)")
    #expect(server.requests.map(\.path).filter { $0 != "/closed" } == ["/1", "/2"])
  }

  @Test func aMissingFolderIsNamed() async throws {
    let outcome = try await Urlload.run(["-o", "/does/not/exist/file", "data:,a"])
    #expect(outcome.status == .exited(11))
    #expect(outcome.error.contains("/does/not/exist"))
  }

  /// script(1) gives it a terminal, whose size stty(1) sets.
  private static func terminal(columns: Int, rows: Int, _ command: String, _ arguments: [String]) async throws -> String
  {
    let script = "stty cols \(columns) rows \(rows); \(command)"
    let outcome = try await Urlload.shell(
      "cd \"$1\"; URLLOAD=\"$0\" SERVER=\"$2\" script -qfec \"$4\" \"$3\"; exit $?", arguments + [script])
    return outcome.text
  }

  @Test(arguments: [(120, 24), (70, 24), (40, 24), (120, 3)]) func showsALineAFile(columns: Int, rows: Int) async throws
  {
    let gate = Watched(false)
    let server = try ScriptedServer { connection in
      guard let request = try connection.readRequest() else { return }
      if request.path == "/none" { return try connection.send(HTTPResponse(404), to: request) }
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2000\r\n\r\n" + String(repeating: "a", count: 1000))
      guard gate.waitBlocking(timeout: .seconds(20), until: { $0 }) else { return }
      try connection.send(String(repeating: "b", count: 1000))
    }
    let folder = try TemporaryDirectory("urlload")
    let log = try TemporaryDirectory("log")
    // What is shown so far is in a file as well, by which the rest is given when some progress was drawn.
    async let shown = Self.terminal(
      columns: columns, rows: rows, "$URLLOAD -O $SERVER/one $SERVER/two $SERVER/none",
      [folder.path, server.url("").absoluteString, log.file("shown").path])
    let wasDrawn = try await eventually {
      let text = (try? String(contentsOf: log.file("shown"), encoding: .utf8)) ?? ""
      return text.contains("1 failed  2.0 kB of 4.0 kB")
    }
    gate.update { $0 = true }
    let text = try await shown
    #expect(wasDrawn, "\(text)")
    let frames = text.replacing(/\u{1B}\[[0-9]*[AJK]/, with: "\r").split { $0 == "\r" || $0 == "\n" || $0 == "\r\n" }
    let isBlock = columns >= 60 && rows > 3
    #expect(text.contains("2 of 3\(columns > 40 ? " files" : ""), 1 failed  4.0 kB of 4.0 kB"), "\(text)")
    #expect(text.contains("one  ") == isBlock && text.contains("two  ") == isBlock, "\(text)")
    if isBlock {
      #expect(text.contains("one\(String(repeating: " ", count: columns > 80 ? 23 : 15))1.0 kB of 2.0 kB"), "\(text)")
      #expect(text.contains("none\(String(repeating: " ", count: columns > 80 ? 22 : 14))failed after 0 B"), "\(text)")
      #expect(text.contains("\u{1B}[3A\u{1B}[J"), "\(text)")
    }
    for line in frames where !line.hasPrefix("urlload:") { #expect(line.count < columns, "\(line)") }
    #expect(text.contains("1 of 3 URLs failed: \(server.url("/none").absoluteString)"), "\(text)")
  }

  @Test func showsProgressOnATerminalOnly() async throws {
    let url = try await NginxServer.shared.url("/slow/large.bin?rate=8m").absoluteString
    let folder = try TemporaryDirectory("urlload")
    // script(1) gives it a terminal for standard error. It has to be bash's child: it trips over children it did not make.
    let outcome = try await Urlload.shell(
      "cd \"$2\"; script -qec \"'$0' -o a '$1'\" /dev/null; exit $?", [url, folder.path])
    #expect(outcome.status == .exited(0), "\(outcome.error)")
    #expect(outcome.text.contains("8.4 MB of 8.4 MB"), "\(outcome.text) \(outcome.error)")
    #expect(outcome.text.contains("100%"))
    #expect(outcome.text.contains("\r\u{1B}[K"))
  }
}
