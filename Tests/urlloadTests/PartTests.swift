import Foundation
import Testing
import URLLoadingTestServers

/// What is left of a load that stops, and how another resumes it.
@Suite struct PartTests {
  private static let body = TestFiles.pattern(count: 100_000, seed: 77)

  /// A server that stops after 40,000 bytes of each answer to a request without a range, and gives the rest to others.
  /// - Parameter holds: whether the connection stays open after that.
  private static func stopping(
    tag: String? = "\"v1\"", holds: Bool = false, later: String? = nil
  ) throws -> ScriptedServer {
    try ScriptedServer { connection in
      guard let request = try connection.readRequest() else { return }
      let range = request.fields["Range"].flatMap { Int($0.dropFirst("bytes=".count).dropLast()) }
      let current = connection.number > 1 ? later ?? tag : tag
      var fields = "Content-Length: \(body.count)\r\nAccept-Ranges: bytes\r\n"
      if let current { fields += "ETag: \(current)\r\n" }
      if connection.number == 1 {
        try connection.send("HTTP/1.1 200 OK\r\n\(fields)\r\n")
        try connection.send(body.prefix(40_000))
        if holds { _ = connection.waitForPeerClose(timeout: .seconds(30)) }
        return
      }
      guard let range, request.fields["If-Range"] == nil || request.fields["If-Range"] == current else {
        var whole = HTTPResponse(body: body)
        whole.fields["ETag"] = current
        return try connection.send(whole, to: request)
      }
      var part = HTTPResponse(206, body: body.dropFirst(range))
      part.fields["ETag"] = current
      part.fields["Content-Range"] = "bytes \(range)-\(body.count - 1)/\(body.count)"
      try connection.send(part, to: request)
    }
  }

  @Test(arguments: [true, false]) func anInterruptedLoadIsResumed(hasName: Bool) async throws {
    let server = try Self.stopping(holds: true)
    let folder = try TemporaryDirectory("urlload")
    let log = try TemporaryDirectory("log")
    let arguments = (hasName ? ["-o", "whole.bin"] : ["-O"]) + [server.url("/whole.bin").absoluteString]
    let process = try ChildProcess(
      BuiltProgram.path("urlload"), arguments, directory: folder.url, output: log.file("output"),
      error: log.file("error"))
    let isWriting = try await eventually {
      try Urlload.names(in: folder).contains { try Data(contentsOf: folder.file($0)).count == 40_000 }
    }
    #expect(isWriting)
    process.send(signal: SIGINT)
    #expect(await process.waitForExit() == .signalled(SIGINT))
    #expect(try Urlload.names(in: folder) == ["whole.bin.part"])
    let said = try String(contentsOf: log.file("error"), encoding: .utf8)
    #expect(said.contains("40.0 kB of it are kept in whole.bin.part: the same command with -C - resumes it"), "\(said)")

    let outcome = try await Urlload.run(["-C", "-"] + arguments, in: folder)
    #expect(outcome.status == .exited(0) && outcome.error.isEmpty, "\(outcome.error)")
    #expect(try TestFiles.firstDifference(Data(contentsOf: folder.file("whole.bin")), Self.body) == nil)
    #expect(try Urlload.names(in: folder) == ["whole.bin"])
    #expect(server.requests.last?.fields["Range"] == "bytes=40000-")
    #expect(server.requests.last?.fields["If-Range"] == "\"v1\"")
  }

  @Test func anotherVersionRestarts() async throws {
    let server = try Self.stopping(later: "\"v2\"")
    let folder = try TemporaryDirectory("urlload")
    let url = server.url("/a").absoluteString
    let stopped = try await Urlload.run(["-O", url], in: folder)
    #expect(stopped.status == .exited(10) && stopped.error.contains("a.part"), "\(stopped.error)")
    let outcome = try await Urlload.run(["-OC-", url], in: folder)
    #expect(outcome.status == .exited(0), "\(outcome.error)")
    #expect(outcome.error.contains("restarts, \(url): the resource has changed"), "\(outcome.error)")
    #expect(try TestFiles.firstDifference(Data(contentsOf: folder.file("a")), Self.body) == nil)
  }

  @Test func withoutAValidatorItRestartsAndSaysSo() async throws {
    let server = try Self.stopping(tag: nil)
    let folder = try TemporaryDirectory("urlload")
    let url = server.url("/a").absoluteString
    let stopped = try await Urlload.run(["-O", url], in: folder)
    #expect(stopped.error.contains("without a validator, the next load restarts"), "\(stopped.error)")
    let outcome = try await Urlload.run(["-O", "--continue-at", "-", url], in: folder)
    #expect(outcome.status == .exited(0), "\(outcome.error)")
    #expect(outcome.error.contains("restarts, \(url): a.part has no validator"), "\(outcome.error)")
    #expect(server.requests.last?.fields["Range"] == nil)
    #expect(try Urlload.names(in: folder) == ["a"])
    // A file that some other program has left is no part.
    try folder.write("b", "other")
    let other = try await Urlload.run(["-o", "b", "-C", "-", url], in: folder)
    #expect(other.error.contains("b has no part file b.part") && other.status == .exited(0), "\(other.error)")
  }

  @Test func anOffsetKeepsWhatIsBefore() async throws {
    let server = try Self.stopping(tag: nil)
    _ = try await Urlload.run([server.url("/a").absoluteString])
    let folder = try TemporaryDirectory("urlload")
    try folder.write("a", Self.body.prefix(1000))
    let outcome = try await Urlload.run(["-C", "900", "-o", "a", server.url("/a").absoluteString], in: folder)
    #expect(outcome.status == .exited(0), "\(outcome.error)")
    #expect(server.requests.last?.fields["Range"] == "bytes=900-")
    #expect(try TestFiles.firstDifference(Data(contentsOf: folder.file("a")), Self.body) == nil)
    let beyond = try await Urlload.run(["-C", "1000000", "-o", "a", server.url("/a").absoluteString], in: folder)
    #expect(beyond.status == .exited(2), "\(beyond.error)")
    let device = try await Urlload.run(["-C", "900", "-o", "/dev/null", server.url("/a").absoluteString])
    #expect(device.status == .exited(2) && device.error.contains("-C 900 needs a file"), "\(device.error)")
    let whole = try ScriptedServer.http { _ in HTTPResponse(body: Self.body) }
    let restarted = try await Urlload.run(["-C", "900", "-o", "a", whole.url("/a").absoluteString], in: folder)
    #expect(restarted.status == .exited(0), "\(restarted.error)")
    #expect(restarted.error.contains("the server sent all of it"), "\(restarted.error)")
    #expect(try TestFiles.firstDifference(Data(contentsOf: folder.file("a")), Self.body) == nil)
    let piped = try await Urlload.run(["-C", "900", whole.url("/a").absoluteString])
    #expect(piped.status == .exited(10) && piped.error.contains("leave out -C"), "\(piped.error)")
  }

  @Test func nothingIsKeptWhereThatIsAskedFor() async throws {
    let server = try Self.stopping()
    let folder = try TemporaryDirectory("urlload")
    let outcome = try await Urlload.run(["--remove-on-error", "-O", server.url("/a").absoluteString], in: folder)
    #expect(outcome.status == .exited(10) && !outcome.error.contains(".part"), "\(outcome.error)")
    #expect(try Urlload.names(in: folder).isEmpty)
  }
}
