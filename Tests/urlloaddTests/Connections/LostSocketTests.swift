import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// The socket's folder, or the socket, is removed while the service runs, as a logout does.
@Suite(.timeLimit(.minutes(3))) struct LostSocketTests {
  private let fixture: BackgroundFixture
  private let server: ScriptedServer

  init() throws {
    fixture = try BackgroundFixture()
    server = try ScriptedServer.http { _ in HTTPResponse(text: "ok") }
  }

  private var runtime: URL { fixture.directory.file("run") }
  private var socket: URL { runtime.appending(path: "url-loading/urlloadd.socket") }

  private var log: String { (try? String(contentsOf: fixture.serviceLog, encoding: .utf8)) ?? "" }

  private func makeFolder(_ folder: URL) throws {
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
  }

  @Test(arguments: ["everything", "folder", "socket", "replaced"])
  func itListensAgain(_ loss: String) async throws {
    let service = try await fixture.startService()
    let process = fixture.service
    switch loss {
    case "everything":
      try FileManager.default.removeItem(at: runtime)
      try makeFolder(runtime)
    case "folder": try FileManager.default.removeItem(at: socket.deletingLastPathComponent())
    case "socket": try FileManager.default.removeItem(at: socket)
    default:
      try FileManager.default.removeItem(at: socket)
      try Data().write(to: socket)
    }
    _ = try await fixture.control()
    #expect(fixture.service == process)
    #expect(log.contains(socket.path) && log.contains("listen"), "\(log)")
    let program = try fixture.program("test", "download:\(server.url("/a"))")
    #expect(try await program.says("ended 1 0 200"), "\(program.lines)")
    await program.kill()
    await service.stop()
    await fixture.stop()
  }

  /// A program that comes first makes the folder again, and has another service started.
  @Test func aProgramReachesTheServiceThatRuns() async throws {
    let service = try await fixture.startService()
    let process = fixture.service
    try FileManager.default.removeItem(at: socket.deletingLastPathComponent())
    let program = try fixture.program("test", "download:\(server.url("/a"))")
    #expect(try await program.says("ended 1 0 200"), "\(program.lines)")
    #expect(fixture.service == process)
    await program.kill()
    await service.stop()
    await fixture.stop()
  }

  /// A service that looks at its socket just then takes the place, and says so: another one is tried.
  @Test func itDoesNotRemoveTheSocketOfAnother() async throws {
    for _ in 0..<10 {
      try? FileManager.default.removeItem(at: fixture.serviceLog)
      let service = try await fixture.startService()
      service.send(signal: SIGSTOP)
      try FileManager.default.removeItem(at: socket)
      try Data("another's".utf8).write(to: socket)
      service.send(signal: SIGTERM)
      service.send(signal: SIGCONT)
      let end = await service.waitForExit(timeout: .seconds(30))
      #expect(end == .exited(0))
      if log.contains("listens there again") { continue }
      #expect((try? String(contentsOf: socket, encoding: .utf8)) == "another's")
      return await fixture.stop()
    }
    Issue.record("the service looked at its socket ten times in the moment of the signal")
  }

  /// It is there, though nobody reaches it.
  @Test(arguments: ["stopped", "lost"]) func urlloadJobsDoesNotSayThatNoServiceRuns(_ state: String) async throws {
    let service = try await fixture.startService()
    service.send(signal: SIGSTOP)
    if state == "lost" { try FileManager.default.removeItem(at: runtime) }
    let result = try await Command.run(BuiltProgram.path("urlload"), ["jobs"], environment: fixture.environment)
    #expect(!result.error.contains("no service runs"), "\(result)")
    #expect(result.error.contains("\(service.processID)"), "\(result)")
    #expect(result.status != .exited(0), "\(result)")
    service.send(signal: SIGCONT)
    await service.stop()
    await fixture.stop()
  }
}
