import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// What a program hears of tasks that load when it attaches.
@Suite(.timeLimit(.minutes(3))) struct WaitingProgressTests {
  private let fixture: BackgroundFixture
  private static let body = TestFiles.pattern(count: 400_000, seed: 18)

  init() throws { fixture = try BackgroundFixture() }

  @Test func howFarTheyAreComesBeforeTheEndOfTheEvents() async throws {
    let isHeard = AsyncEvent()
    let server = try ScriptedServer { connection in
      while let request = try connection.readRequest() {
        guard request.path == "/slow" else {
          try connection.send(HTTPResponse(text: "fast"), to: request)
          continue
        }
        try connection.send("HTTP/1.1 200 OK\r\nETag: \"18\"\r\nContent-Length: \(Self.body.count)\r\n\r\n")
        try connection.send(Self.body.prefix(200_000))
        _ = isHeard.waitBlocking()
        try connection.send(Self.body.dropFirst(200_000))
      }
    }
    try await fixture.leave("test", "download:\(server.url("/slow"))", "download:\(server.url("/fast"))")
    let control = try await fixture.control()
    #expect(
      try await eventually {
        let jobs = try control.jobs()
        return jobs.count == 2 && jobs[0].progress.received > 0 && jobs[1].state == "done"
      })
    let program = try fixture.program()
    #expect(try await program.says("finished-events"), "\(program.lines)")
    let before = program.lines.prefix { $0 != "finished-events" }
    #expect(before.contains("ended 2 0 200"), "\(program.lines)")
    let wrote = before.first { $0.hasPrefix("wrote 1 ") }?.split(separator: " ").compactMap { Int($0) } ?? []
    // The task, the bytes that have come, and those that are expected.
    #expect(wrote.count == 3 && wrote[1] > 0 && wrote[1] <= 200_000 && wrote[2] == Self.body.count, "\(program.lines)")
    #expect(!before.contains { $0.hasPrefix("ended 1 ") })
    isHeard.signal()
    #expect(try await program.says("ended 1 0 200"), "\(program.lines)")
    #expect(
      try TestFiles.firstDifference(in: fixture.taken.appending(path: "1"), count: Self.body.count, seed: 18) == nil)
    await program.kill()
    await fixture.stop()
  }
}
