import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// A service whose queue is damaged somewhere serves all the same.
@Suite(.timeLimit(.minutes(5))) struct DamagedQueueTests {
  private let fixture: BackgroundFixture

  init() throws { fixture = try BackgroundFixture() }

  /// The page of a task with its state, or one with a part of its request alone.
  @Test(arguments: [2500, 20_000]) func aServiceWithADamagedPageServes(_ requestLength: Int) async throws {
    try FileManager.default.createDirectory(
      at: fixture.state, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    try DamagedQueue(at: fixture.state.appending(path: "queue.sqlite").path, requestLength: requestLength).damage()
    let server = try OutlivingTests.slowServer(pause: 0)
    let program = try fixture.program("test", "download:\(server.url("/a"))")
    #expect(try await program.says("ended 1 0 200", timeout: .seconds(60)), "\(program.lines)")
    #expect(FileManager.default.fileExists(atPath: fixture.state.appending(path: "queue.sqlite.damaged").path))
    // What could be read is still there.
    let control = try BackgroundControl(at: fixture.place)
    let count = try control.jobs().count { $0.session == DamagedQueue.session }
    #expect(count == DamagedQueue.count - 1)
    await program.kill()
    await fixture.stop()
  }
}
