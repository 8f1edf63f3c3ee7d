import Foundation
import Testing
import URLLoadingTestServers

@testable import urlload

/// Conditions of loads: `-z`, and entity tags in files.
@Suite(.timeLimit(.minutes(2))) struct ConditionTests {
  /// A server that knows no conditions.
  private static func server() throws -> ScriptedServer {
    try ScriptedServer.http { _ in
      HTTPResponse(fields: ["Last-Modified": "Sat, 31 Jan 2026 11:00:00 GMT", "ETag": "\"1\""], text: "new")
    }
  }

  @Test(arguments: [("2026-01-30", true), ("2026-02-01", false), ("-2026-01-30", false), ("-2026-02-01", true)])
  func timesAreComparedWhereServersDoNot(condition: String, isWanted: Bool) async throws {
    let server = try Self.server()
    let url = server.url().absoluteString
    let folder = try TemporaryDirectory("urlload")
    try folder.write("a", "old")
    let outcome = try await Urlload.run(["-z", condition, "-o", "a", "--etag-save", "tag", url], in: folder)
    #expect(outcome.status == .exited(0) && outcome.error.isEmpty, "\(outcome.error)")
    #expect(try String(contentsOf: folder.file("a"), encoding: .utf8) == (isWanted ? "new" : "old"))
    #expect(try Urlload.names(in: folder) == (isWanted ? ["a", "tag"] : ["a"]))
    let written = try await Urlload.run(["-z", condition, url])
    #expect(written.status == .exited(0) && written.text == (isWanted ? "new" : ""), "\(written.error)")
    let coded = try await Urlload.run(
      ["-z", condition, "-D", "heads", "-o", "b", "-w", "%{http_code} %{response_code} %{exitcode}", url], in: folder)
    #expect(coded.text == (isWanted ? "200 200 0" : "304 304 0"))
    // The head is what the server has sent.
    let head = try String(contentsOf: folder.file("heads"), encoding: .utf8)
    #expect(head.hasPrefix("HTTP/1.1 200"), "\(head)")
    // What a server did is answered.
    #expect(try await Urlload.run(["-z", condition, "-d", "x", url]).text == "new")
  }

  @Test func aTagReplacesAFileAsAWhole() throws {
    let folder = try TemporaryDirectory("urlload")
    let file = try folder.write("tag", "\"a long one\"\n")
    chmod(file.path, 0o640)
    try FileManager.default.createSymbolicLink(atPath: folder.file("link").path, withDestinationPath: "tag")
    for (tag, content) in [("\"2\"", "\"2\"\n"), (nil, "")] as [(String?, String)] {
      try EntityTagFile.write(tag, to: folder.file("link").path)
      #expect(try String(contentsOf: file, encoding: .utf8) == content)
    }
    #expect(try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int == 0o640)
    #expect(try Urlload.names(in: folder) == ["link", "tag"])
    #expect(throws: Failure.self) { try EntityTagFile.write("\"2\"", to: "/dev/full") }
    #expect(throws: Failure.self) { try EntityTagFile.write(nil, to: "/does/not/exist/tag") }
  }

  @Test(.enabled(if: !Sanitizing.isOn)) func aTagStaysWhereNoneCanBeWritten() async throws {
    let server = try Self.server()
    let folder = try TemporaryDirectory("urlload")
    let file = try folder.write("tag", "\"0\"\n")
    // The signal would end it before write can tell.
    let outcome = try await Urlload.shell(
      "trap '' XFSZ; ulimit -f 0; exec \"$0\" -o /dev/null --etag-save \"$2\" \"$1\" 2>/dev/null",
      [server.url().absoluteString, file.path])
    #expect(outcome.status == .exited(11))
    #expect(try String(contentsOf: file, encoding: .utf8) == "\"0\"\n")
    #expect(try Urlload.names(in: folder) == ["tag"])
  }
}
