import Foundation
import Testing
import URLLoadingTestServers

/// What the user has is never lost: parts of earlier loads, and files that have the name of a part.
@Suite(.timeLimit(.minutes(2))) struct PartSafetyTests {
  private static let body = TestFiles.pattern(count: 100_000, seed: 78)
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory("urlload") }

  /// A server whose answers end after so many bytes each, and the one after these gives all that is left.
  /// - Parameter holds: the number of an answer after which the connection stays open.
  private static func server(_ counts: [Int], holds: Int? = nil) throws -> ScriptedServer {
    try ScriptedServer { connection in
      guard let request = try connection.readRequest() else { return }
      let first = request.fields["Range"].flatMap { Int($0.dropFirst("bytes=".count).dropLast()) }
      let rest = body.dropFirst(first ?? 0)
      let range = first.map { "Content-Range: bytes \($0)-\(body.count - 1)/\(body.count)\r\n" } ?? ""
      let status = first == nil ? "200 OK" : "206 Partial Content"
      try connection.send(
        "HTTP/1.1 \(status)\r\n\(range)Content-Length: \(rest.count)\r\nETag: \"v1\"\r\nAccept-Ranges: bytes\r\n\r\n")
      let index = connection.number - 1
      try connection.send(counts.indices.contains(index) ? rest.prefix(counts[index]) : rest)
      if holds == connection.number { _ = connection.waitForPeerClose(timeout: .seconds(30)) }
    }
  }

  private func data(_ name: String) throws -> Data { try Data(contentsOf: folder.file(name)) }

  @Test(arguments: [["-O"], ["-o", "a"]]) func aServerThatIsGoneLeavesThePart(names: [String]) async throws {
    let server = try Self.server([40_000])
    let arguments = names + [server.url("/a").absoluteString]
    _ = try await Urlload.run(arguments, in: folder)
    let part = try data("a.part")
    #expect(await server.stop())
    let outcome = try await Urlload.run(["-C", "-"] + arguments, in: folder)
    #expect(outcome.status == .exited(4), "\(outcome.error)")
    #expect(outcome.error.contains("40.0 kB of it are kept in a.part"), "\(outcome.error)")
    #expect(try Urlload.names(in: folder) == ["a.part"] && data("a.part") == part)
  }

  @Test func aMistakeInAnotherURLLeavesThePart() async throws {
    let server = try Self.server([40_000])
    let url = server.url("/a").absoluteString
    _ = try await Urlload.run(["-o", "a", url], in: folder)
    let part = try data("a.part")
    let outcome = try await Urlload.run(["-C", "-", "-o", "a", "-o", "-", "-D", "heads", url, "data:,x"], in: folder)
    #expect(outcome.status == .exited(2), "\(outcome.error)")
    #expect(try Urlload.names(in: folder) == ["a.part"] && data("a.part") == part)
  }

  @Test func aKillLosesNothingOfBefore() async throws {
    let server = try Self.server([40_000, 20_000], holds: 2)
    let arguments = ["-C", "-", "-o", "a", server.url("/a").absoluteString]
    _ = try await Urlload.run(Array(arguments.dropFirst(2)), in: folder)
    let log = try TemporaryDirectory("log")
    let process = try ChildProcess(
      BuiltProgram.path("urlload"), arguments, directory: folder.url, output: log.file("output"),
      error: log.file("error"))
    #expect(try await eventually { try data("a.part").prefix(60_000) == Self.body.prefix(60_000) })
    process.send(signal: SIGKILL)
    #expect(await process.waitForExit() == .signalled(SIGKILL))
    #expect(try Urlload.names(in: folder) == ["a.part"])
    let outcome = try await Urlload.run(arguments, in: folder)
    #expect(outcome.status == .exited(0) && outcome.error.isEmpty, "\(outcome.error)")
    #expect(server.requests.last?.fields["Range"] == "bytes=40000-")
    #expect(try data("a") == Self.body && Urlload.names(in: folder) == ["a"])
  }

  @Test func aResumedLoadThatFailsIsResumedAgain() async throws {
    let server = try Self.server([40_000, 20_000, 10_000])
    let arguments = ["-C", "-", "-o", "a", server.url("/a").absoluteString]
    for count in [40_000, 60_000, 70_000] {
      let outcome = try await Urlload.run(arguments, in: folder)
      #expect(outcome.status == .exited(10), "\(outcome.error)")
      #expect(outcome.error.contains("\(count / 1000).0 kB of it are kept in a.part"), "\(outcome.error)")
      #expect(try data("a.part").count < count + 1000)
    }
    #expect(try await Urlload.run(arguments, in: folder).status == .exited(0))
    #expect(server.requests.map { $0.fields["Range"] } == [nil, "bytes=40000-", "bytes=60000-", "bytes=70000-"])
    #expect(try data("a") == Self.body)
  }

  @Test func twoCommandsDoNotResumeOnePart() async throws {
    let server = try Self.server([40_000, 20_000], holds: 2)
    let arguments = ["-C", "-", "-o", "a", server.url("/a").absoluteString]
    _ = try await Urlload.run(arguments, in: folder)
    let log = try TemporaryDirectory("log")
    let process = try ChildProcess(
      BuiltProgram.path("urlload"), arguments, directory: folder.url, output: log.file("output"),
      error: log.file("error"))
    #expect(await server.waitForRequests(2))
    try folder.write("heads", "old")
    let other = try await Urlload.run(["-D", "heads"] + arguments, in: folder)
    #expect(other.status == .exited(11) && other.error.contains("another command resumes"), "\(other.error)")
    #expect(try data("heads") == Data("old".utf8))
    process.send(signal: SIGTERM)
    #expect(await process.waitForExit() == .signalled(SIGTERM))
    #expect(try await Urlload.run(arguments, in: folder).status == .exited(0))
    #expect(try data("a") == Self.body)
  }

  /// The first of them has it.
  @Test func oneURLTwiceResumesOnePartOnce() async throws {
    let server = try Self.server([40_000])
    let url = server.url("/a").absoluteString
    _ = try await Urlload.run(["-O", url], in: folder)
    let outcome = try await Urlload.run(["-C", "-", "-O", url, url], in: folder)
    #expect(outcome.status == .exited(0), "\(outcome.error)")
    #expect(outcome.error.contains("a.part is being resumed already"), "\(outcome.error)")
    #expect(try Urlload.names(in: folder) == ["a", "a.1"])
    #expect(try data("a") == Self.body && data("a.1") == Self.body)
  }

  @Test func partsAreToldApartByTheirQueries() async throws {
    let server = try Self.server([40_000])
    let urls = (1...2).map { server.url("/a?id=\($0)").absoluteString }
    _ = try await Urlload.run(["-o", "a", urls[0]], in: folder)
    #expect(try data("a.part").range(of: Data("id=1".utf8)) == nil, "a query may be secret")
    let other = try await Urlload.run(["-C", "-", "-o", "a", urls[1]], in: folder)
    #expect(other.status == .exited(0) && other.error.contains("a.part is of another URL"), "\(other.error)")
    #expect(server.requests.last?.fields["Range"] == nil)
    #expect(try Urlload.names(in: folder) == ["a", "a.part"])
    let same = try await Urlload.run(["-C", "-", "-o", "a", urls[0]], in: folder)
    #expect(same.status == .exited(0), "\(same.error)")
    #expect(server.requests.last?.fields["Range"] == "bytes=40000-")
    #expect(try data("a") == Self.body)
  }

  @Test func aPartOfOthersIsNotReplaced() async throws {
    let server = try Self.server([40_000, 30_000, 50_000])
    let arguments = ["-o", "a", server.url("/a").absoluteString]
    try folder.write("a.part", "mine")
    #expect(try await Urlload.run(arguments, in: folder).error.contains("are kept in a.part.1: "))
    // It is shorter.
    #expect(try await Urlload.run(arguments, in: folder).error.contains("are kept in a.part.2: "))
    #expect(try await Urlload.run(arguments, in: folder).error.contains("are kept in a.part.1: "))
    #expect(try Urlload.names(in: folder) == ["a.part", "a.part.1", "a.part.2"])
    let outcome = try await Urlload.run(["-C", "-"] + arguments, in: folder)
    #expect(outcome.status == .exited(0), "\(outcome.error)")
    #expect(server.requests.last?.fields["Range"] == "bytes=50000-")
    #expect(try Urlload.names(in: folder) == ["a", "a.part"])
    #expect(try data("a") == Self.body && data("a.part") == Data("mine".utf8))
  }

  @Test func aRedirectedLoadIsResumed() async throws {
    let target = try Self.server([40_000])
    let server = try ScriptedServer.http { _ in .redirect(to: target.url("/elsewhere").absoluteString) }
    let arguments = ["-C", "-", "-o", "a", server.url("/a").absoluteString]
    _ = try await Urlload.run(arguments, in: folder)
    let outcome = try await Urlload.run(arguments, in: folder)
    #expect(outcome.status == .exited(0) && outcome.error.isEmpty, "\(outcome.error)")
    #expect(target.requests.last?.fields["Range"] == "bytes=40000-")
    #expect(try data("a") == Self.body)
  }

  /// A part file as another server could send it, which says that it is of this URL.
  private func forgedPart(of url: String, _ members: String = "\"start\":0") -> Data {
    let record = Data("{\"url\":\"\(url)\",\"entityTag\":\"\\\"v1\\\"\",\(members)}".utf8)
    let length = withUnsafeBytes(of: UInt64(record.count).bigEndian) { Data($0) }
    return Data("forged".utf8) + record + length + Data("urlload1".utf8)
  }

  @Test(arguments: ["a.part", "a.part.1"]) func aServerPlantsNoPartOfAnothersFile(name: String) async throws {
    let server = try Self.server([])
    let url = server.url("/a").absoluteString
    let forged = forgedPart(of: url)
    let planter = try ScriptedServer.http { _ in
      HTTPResponse(fields: ["Content-Disposition": "attachment; filename=\"\(name)\""], body: forged)
    }
    #expect(try await Urlload.run(["-O", planter.url().absoluteString], in: folder).status == .exited(0))
    let outcome = try await Urlload.run(["-O", "-C", "-", url], in: folder)
    #expect(outcome.status == .exited(0), "\(outcome.error)")
    #expect(try data("a") == Self.body)
    #expect(server.requests.last?.fields["Range"] == nil)
  }

  @Test(arguments: [
    #""start":0,"last":9223372036854775807"#, #""start":9223372036854775807"#, #""start":-9223372036854775808"#,
    #""start":0,"length":-1"#, #""start":5,"last":4"#,
  ]) func aPartThatCannotBeIsNone(members: String) async throws {
    let server = try Self.server([])
    let url = server.url("/a").absoluteString
    let forged = forgedPart(of: url, members)
    try folder.write("a.part", forged)
    let outcome = try await Urlload.run(["-O", "-C", "-", url], in: folder)
    #expect(outcome.status == .exited(0), "\(outcome.error)")
    #expect(try data("a") == Self.body && data("a.part") == forged)
  }

  @Test func whatHasNotChangedStays() async throws {
    let server = try ScriptedServer.http { request in
      HTTPResponse(request.fields["If-Modified-Since"] == nil ? 200 : 304, fields: ["ETag": "\"1\""], text: "new")
    }
    try folder.write("a", "old")
    let field = "If-Modified-Since: Sat, 21 Nov 2026 08:00:09 GMT"
    let outcome = try await Urlload.run(
      ["-w", "%{http_code}", "-D", "heads", "-H", field, "-o", "a", server.url().absoluteString], in: folder)
    #expect(outcome.status == .exited(0) && outcome.text == "304", "\(outcome.error)")
    #expect(try String(contentsOf: folder.file("a"), encoding: .utf8) == "old")
    #expect(try String(contentsOf: folder.file("heads"), encoding: .utf8).hasPrefix("HTTP/1.1 304 "))
    #expect(try Urlload.names(in: folder) == ["a", "heads"])
  }
}
