import Foundation
import Testing
import URLLoadingTestServers

/// Which service a program starts, where `URLLOADD` names none, and that there is one.
@Suite(.timeLimit(.minutes(3))) struct ServiceSearchTests {
  private let fixture: BackgroundFixture

  init() throws { fixture = try BackgroundFixture() }

  /// Has a program load something, without `URLLOADD`.
  private func load(by worker: String, path: String) async throws {
    let server = try ScriptedServer.http { _ in HTTPResponse(text: "hello") }
    let others: [String: String?] = ["URLLOADD": nil, "PATH": path]
    let program = try BackgroundProgram(
      ["test", fixture.taken.path, "download:\(server.url("/a"))"], of: [worker], directory: fixture.directory,
      environment: fixture.environment.merging(others) { $1 })
    #expect(try await program.says("ended 1 0 200", timeout: .seconds(60)), "\(program.lines)")
    await program.kill()
    await fixture.stop()
  }

  @Test func theOneBesideTheProgram() async throws {
    try await load(by: BackgroundProgram.workerPath, path: "/usr/bin:/bin")
  }

  @Test func theOneInPath() async throws {
    let (programs, services) = (fixture.directory.file("programs"), fixture.directory.file("services"))
    for folder in [programs, services] {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }
    // The folder of a program is that of the file itself, whatever symbolic links lead there.
    let worker = programs.appending(path: "worker").path
    try await BuiltProgram.copy(BackgroundProgram.workerPath, to: worker)
    try FileManager.default.createSymbolicLink(
      atPath: services.appending(path: "urlloadd").path, withDestinationPath: BuiltProgram.path("urlloadd"))
    try await load(by: worker, path: "/usr/bin:/bin:\(services.path)")
  }

  @Test func aSecondOneEndsAtOnce() async throws {
    let program = try fixture.program()
    _ = try await fixture.control()
    let first = fixture.service
    let second = try await Command.run(BuiltProgram.path("urlloadd"), [], environment: fixture.environment)
    #expect(second.status != .exited(0) && second.error.contains("Another urlloadd has"), "\(second.error)")
    #expect(fixture.service == first && first != nil)
    _ = try await fixture.control()
    await program.kill()
    await fixture.stop()
  }
}
