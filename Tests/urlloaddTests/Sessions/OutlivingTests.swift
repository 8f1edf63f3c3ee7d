import Foundation
import Testing
import URLLoadingTestServers

/// Transfers that outlive the program that has made them.
@Suite(.timeLimit(.minutes(5))) struct OutlivingTests {
  private let fixture: BackgroundFixture
  private static let body = TestFiles.pattern(count: 3_000_000, seed: 30)

  init() throws { fixture = try BackgroundFixture() }

  /// A server that gives ranges slowly, in small pieces.
  /// - Parameter held: the first connections, each of which stops at its share of the body until the peer closes.
  static func slowServer(
    _ body: Data = body, port: UInt16 = 0, pause: useconds_t = 2000, held: Int = 0
  ) throws -> ScriptedServer {
    try ScriptedServer(port: port) { connection in
      while let request = try connection.readRequest() {
        let start = request.fields["Range"].flatMap { Int($0.dropFirst(6).dropLast()) } ?? 0
        let range = start == 0 ? "" : "Content-Range: bytes \(start)-\(body.count - 1)/\(body.count)\r\n"
        try connection.send(
          "HTTP/1.1 \(start == 0 ? "200 OK" : "206 Partial")\r\nETag: \"30\"\r\nAccept-Ranges: bytes\r\n\(range)Content-Length: \(body.count - start)\r\n\r\n"
        )
        for position in stride(from: start, to: body.count, by: 30_000) {
          try connection.send(body[position..<min(position + 30_000, body.count)])
          usleep(pause)
          if connection.number <= held, position >= body.count / (held + 1) * connection.number {
            _ = connection.waitForPeerClose(timeout: .seconds(60))
            return
          }
        }
      }
    }
  }

  @Test func aDownloadIsWholeWhenTheProgramComesBack() async throws {
    let server = try Self.slowServer()
    try await fixture.leave("test", "download:\(server.url("/a"))")
    let program = try fixture.program()
    #expect(try await program.says("finished-events"))
    #expect(try await program.says("ended 1 0 200"), "\(program.lines)")
    #expect(
      try TestFiles.firstDifference(in: fixture.taken.appending(path: "1"), count: Self.body.count, seed: 30) == nil)
    // Nothing is left of a task that its program knows the end of.
    #expect(try await eventually { fixture.files.isEmpty }, "\(fixture.files)")
    await program.kill()
    await fixture.stop()
  }

  @Test func anUploadOfAFileThatIsGoneArrives() async throws {
    let received = Watched(Data())
    let server = try ScriptedServer.http { request in
      received.update { $0 = request.body }
      return HTTPResponse(text: "thanks")
    }
    let file = fixture.directory.file("source")
    try Self.body.write(to: file)
    let first = try fixture.program("test", "--exit", "upload:\(file.path),\(server.url("/up"))")
    #expect(await first.process.waitForExit() == .exited(0), "\(first.lines)")
    try FileManager.default.removeItem(at: file)
    let program = try fixture.program()
    #expect(try await program.says("ended 1 0 200"), "\(program.lines)")
    #expect(received.value == Self.body)
    #expect(program.all("data") == ["1 6"])
    await program.kill()
    await fixture.stop()
  }

  @Test func theServiceGoesOnWhereItWasKilled() async throws {
    let server = try Self.slowServer(pause: 20_000, held: 4)
    let program = try fixture.program("test", "download:\(server.url("/a"))")
    for round in 0..<4 {
      let before = program.all("wrote").count
      #expect(try await eventually { program.all("wrote").count > before + 1 }, "round \(round): \(program.lines)")
      try await fixture.killService()
    }
    #expect(try await program.says("ended 1 0"), "\(program.lines)")
    #expect(
      try TestFiles.firstDifference(in: fixture.taken.appending(path: "1"), count: Self.body.count, seed: 30) == nil)
    #expect(program.all("ended").count == 1)
    #expect(!program.lines.contains("finished-events"))
    // It went on: no byte range was asked for twice from the start.
    let offsets = server.requests.map { $0.fields["Range"] }
    #expect(offsets.filter { $0 == nil }.count == 1, "\(offsets)")
    await program.kill()
    await fixture.stop()
  }

  /// Resume data would cost more than what a kill loses.
  @Test func aSmallDownloadIsWholeBehindAKill() async throws {
    let body = TestFiles.pattern(count: 300_000, seed: 32)
    let server = try Self.slowServer(body, held: 1)
    let program = try fixture.program("test", "download:\(server.url("/a"))")
    #expect(try await program.says("wrote", timeout: .seconds(60)), "\(program.lines)")
    try await fixture.killService()
    // Whether it begins anew or, on a machine that is slow, goes on.
    #expect(try await program.says("ended 1 0 20", timeout: .seconds(60)), "\(program.lines)")
    #expect(try TestFiles.firstDifference(in: fixture.taken.appending(path: "1"), count: body.count, seed: 32) == nil)
    #expect(program.all("ended").count == 1)
    await program.kill()
    await fixture.stop()
  }

  @Test func aServiceThatIsEndedByASignalIsContinued() async throws {
    let server = try Self.slowServer(pause: 5000)
    let program = try fixture.program("test", "download:\(server.url("/a"))")
    #expect(try await eventually { program.all("wrote").count > 2 }, "\(program.lines)")
    let service = try #require(fixture.service)
    kill(service, SIGTERM)
    #expect(try await program.says("ended 1 0"), "\(program.lines)")
    #expect(server.requests.count { $0.fields["Range"] == nil } == 1, "\(server.requests.map { $0.fields["Range"] })")
    #expect(
      try TestFiles.firstDifference(in: fixture.taken.appending(path: "1"), count: Self.body.count, seed: 30) == nil)
    await program.kill()
    await fixture.stop()
  }

  @Test func aProgramThatDiesWithTheFileGetsItAgain() async throws {
    let server = try Self.slowServer(pause: 0)
    let first = try fixture.program("test", "--dies-with-file", "download:\(server.url("/a"))")
    #expect(await first.process.waitForExit() == .signalled(SIGKILL), "\(first.lines)")
    let second = try fixture.program()
    #expect(try await second.says("ended 1 0 200"), "\(second.lines)")
    #expect(second.all("file") == ["1"])
    // The service knows then that the end is taken.
    #expect(try await second.says("finished-events"), "\(second.lines)")
    #expect(
      try TestFiles.firstDifference(in: fixture.taken.appending(path: "1"), count: Self.body.count, seed: 30) == nil)
    await second.kill()
    let third = try fixture.program()
    third.tell("tasks")
    #expect(try await third.says("tasks"))
    #expect(third.lines == ["tasks "])
    await third.kill()
    await fixture.stop()
  }

  @Test func aServerThatComesBackIsTriedAgain() async throws {
    let port = try FreePort.pick(1)[0]
    let server = try Self.slowServer(port: port, pause: 3000)
    let program = try fixture.program("test", "download:\(server.url("/a"))")
    #expect(try await program.says("wrote"))
    await server.stop()
    #expect(program.all("ended").isEmpty)
    // The socket of the server before is closed by its thread.
    let again = Watched<ScriptedServer?>(nil)
    #expect(
      try await eventually {
        let server = try? Self.slowServer(port: port, pause: 0)
        again.update { $0 = server }
        return server != nil
      })
    #expect(try await program.says("ended 1 0 206"), "\(program.lines)")
    #expect(again.value?.requests.allSatisfy { $0.fields["Range"] != nil } == true)
    #expect(
      try TestFiles.firstDifference(in: fixture.taken.appending(path: "1"), count: Self.body.count, seed: 30) == nil)
    await program.kill()
    await fixture.stop()
  }
}
