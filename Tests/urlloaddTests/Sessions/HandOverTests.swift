import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// A service makes room for a newer one. Which version a program would start is what it says in its greeting.
@Suite(.timeLimit(.minutes(5))) struct HandOverTests {
  private let fixture: BackgroundFixture
  /// A file that is not the service's: what a newer version would be.
  private static let otherProgram = "/bin/sh"

  init() throws { fixture = try BackgroundFixture() }

  /// Greets the service as a program of some version does, and waits for its answer.
  private func greet(version: Int = BackgroundWire.version, package: String, program: String?) throws
    -> BackgroundSocket
  {
    let socket = try BackgroundSocket(to: fixture.place)
    let hello = BackgroundCommand.hello(version: version, package: package, program: program)
    let bytes = try #require(BackgroundFrames.encoded(NumberedCommand(number: 0, command: hello)))
    #expect(socket.send(bytes))
    guard case .welcome? = socket.receive() else { throw TestServerError("the service does not greet") }
    return socket
  }

  /// Waits until another process is the service.
  private func isReplaced(_ service: pid_t) async throws -> Bool {
    try await eventually { fixture.service.map { $0 != service } ?? false }
  }

  @Test func whatCanBeResumedGoesOnInTheNextService() async throws {
    let body = TestFiles.pattern(count: 3_000_000, seed: 30)
    // The first connection stops in the middle: the download ends only by another one.
    let server = try OutlivingTests.slowServer(body, held: 1)
    let program = try fixture.program("test", "download:\(server.url("/a"))")
    #expect(try await program.says("wrote", timeout: .seconds(60)), "\(program.lines)")
    let service = try #require(fixture.service)
    let socket = try greet(package: "99.0", program: Self.otherProgram)
    #expect(try await program.says("ended 1 0", timeout: .seconds(60)), "\(program.lines)")
    #expect(try await isReplaced(service))
    #expect(try TestFiles.firstDifference(in: fixture.taken.appending(path: "1"), count: body.count, seed: 30) == nil)
    #expect(program.all("ended").count == 1, "\(program.lines)")
    let ranges = server.requests.map { $0.fields["Range"] }
    #expect(ranges.count == 2 && ranges.first == .some(nil) && ranges.last != .some(nil), "\(ranges)")
    socket.end()
    await program.kill()
    await fixture.stop()
  }

  @Test func whatCannotBeResumedIsFinishedFirst() async throws {
    let isGreeted = AsyncEvent()
    let server = try ScriptedServer { connection in
      while try connection.readRequest() != nil {
        // No validator, no ranges.
        try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\n1234")
        guard isGreeted.waitBlocking() else { return }
        try connection.send("5678")
      }
    }
    let program = try fixture.program("test", "download:\(server.url("/a"))")
    #expect(try await program.says("wrote", timeout: .seconds(60)), "\(program.lines)")
    let service = try #require(fixture.service)
    let socket = try greet(package: "99.0", program: Self.otherProgram)
    isGreeted.signal()
    #expect(try await program.says("ended 1 0 200", timeout: .seconds(60)), "\(program.lines)")
    #expect(server.requests.count == 1)
    // The program, which stays, has the next one started.
    #expect(try await isReplaced(service))
    socket.end()
    await program.kill()
    await fixture.stop()
  }

  @Test func olderProgramsAndThoseWithoutAnotherServiceAreServed() async throws {
    let server = try OutlivingTests.slowServer(pause: 0)
    let program = try fixture.program("test")
    #expect(try await eventually { fixture.service != nil && (try? BackgroundSocket(to: fixture.place)) != nil })
    let service = try #require(fixture.service)
    let own = BuiltProgram.path("urlloadd")
    let programs: [(String, String?)] = [
      ("0.0.1", Self.otherProgram), ("99.0", nil), ("99.0", own), ("99.0", fixture.directory.file("none").path),
    ]
    for (number, other) in programs {
      let socket = try greet(package: number, program: other)
      // One that hands over listens no more after its answer.
      #expect((try? greet(package: "0", program: nil)) != nil, "\(number) \(other ?? "nil")")
      socket.end()
    }
    let next = try fixture.program("next", "download:\(server.url("/a"))")
    #expect(try await next.says("ended 1 0 200", timeout: .seconds(60)), "\(next.lines)")
    #expect(fixture.service == service)
    for program in [program, next] { await program.kill() }
    await fixture.stop()
  }

  @Test func aNewerProtocolAloneIsReasonEnough() async throws {
    let program = try fixture.program("test")
    #expect(try await eventually { fixture.service != nil && (try? BackgroundSocket(to: fixture.place)) != nil })
    let service = try #require(fixture.service)
    let socket = try greet(version: BackgroundWire.version + 1, package: "0", program: Self.otherProgram)
    #expect(try await isReplaced(service))
    socket.end()
    await program.kill()
    await fixture.stop()
  }
}
