import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// What a program says of a task before it begins: another request, none, or how much it is to receive.
@Suite(.timeLimit(.minutes(3))) struct DelayedRequestTests {
  private let fixture: BackgroundFixture
  private let server: ScriptedServer

  init() throws {
    fixture = try BackgroundFixture()
    server = try ScriptedServer.http { HTTPResponse(text: $0.path) }
  }

  /// It gets the fields of the session, as any request of it does.
  @Test func theDelegateNamesAnotherRequest() async throws {
    let program = try fixture.program(
      "test", "--delay", "0.3", "--header", "own", "--delayed", server.url("/new").absoluteString,
      "download:\(server.url("/old"))")
    #expect(try await program.says("ended 1 0 200"), "\(program.lines)")
    #expect(program.all("delayed") == ["1"])
    #expect(server.requests.map(\.path) == ["/new"])
    #expect(server.requests.first?.fields["X-Worker"] == "own")
    #expect(try String(contentsOf: fixture.taken.appending(path: "1"), encoding: .utf8) == "/new")
    await program.kill()
    await fixture.stop()
  }

  @Test func theDelegateCancelsTheTask() async throws {
    let program = try fixture.program(
      "test", "--delay", "0.3", "--delayed", "cancel", "download:\(server.url("/never"))")
    #expect(try await program.says("ended 1 -999"), "\(program.lines)")
    let control = try await fixture.control()
    #expect(try await eventually { try control.jobs().isEmpty })
    #expect(server.connectionCount == 0)
    #expect(program.all("ended").count == 1, "\(program.lines)")
    await program.kill()
    await fixture.stop()
  }

  @Test func aRequestThatNoServiceTakesFailsWithWords() async throws {
    let program = try fixture.program(
      "test", "--delay", "0.3", "--delayed", "large", "download:\(server.url("/never"))")
    #expect(try await program.says("ended 1 -1 "), "\(program.lines)")
    #expect(program.lines.contains { $0.contains("at most 512 KiB") }, "\(program.lines)")
    let control = try await fixture.control()
    #expect(try await eventually { try control.jobs().isEmpty })
    #expect(server.connectionCount == 0)
    await program.kill()
    await fixture.stop()
  }

  @Test func aDownloadWaitsForTheRoomThatItNeeds() async throws {
    let program = try fixture.program("test", "--expects", String(Int64.max / 4), "download:\(server.url("/a"))")
    let control = try await fixture.control()
    #expect(try await eventually { try control.jobs().contains { $0.failure?.contains("are needed") == true } })
    #expect(server.connectionCount == 0)
    #expect(program.all("ended").isEmpty)
    program.tell("expects 1 10")
    #expect(try await program.says("ended 1 0 200"), "\(program.lines)")
    await program.kill()
    await fixture.stop()
  }
}
