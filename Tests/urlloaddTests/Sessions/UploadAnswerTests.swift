import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// The file with what a server answers to an upload, where it cannot be written.
@Suite(.timeLimit(.minutes(5))) struct UploadAnswerTests {
  private let fixture: BackgroundFixture
  private static let answer = TestFiles.pattern(count: 3_000_000, seed: 34)

  init() throws { fixture = try BackgroundFixture() }

  private func server() throws -> ScriptedServer {
    try ScriptedServer.http { _ in HTTPResponse(body: Self.answer) }
  }

  @Test func anUploadIsTriedAgainWhenTheDiskHasRoom() async throws {
    let server = try self.server()
    let sign = try fixture.directory.write("full", "")
    let starter = try ProgramStarter(in: fixture.directory, fullWhile: sign)
    let source = try fixture.directory.write("source", "body")
    let program = try fixture.program(
      "test", "upload:\(source.path),\(server.url("/a"))", environment: ["URLLOADD": starter.path])
    #expect(try await program.says("resumed 1", timeout: .seconds(60)), "\(program.lines)")
    let control = try BackgroundControl(at: fixture.place)
    #expect(
      try await eventually {
        try control.jobs().contains {
          !$0.hasEnded && $0.failure?.contains(String(cString: strerror(EFBIG))) == true
        }
      }, "\(program.lines)")
    #expect(program.all("ended").isEmpty, "\(program.lines)")
    try FileManager.default.removeItem(at: sign)
    try await fixture.killService()
    #expect(try await program.says("ended 1 0 200", timeout: .seconds(60)), "\(program.lines)")
    let count = program.all("data").compactMap { $0.split(separator: " ").last.flatMap { Int($0) } }.reduce(0, +)
    #expect(count == Self.answer.count)
    await program.kill()
    await fixture.stop()
  }

  /// What does not pass ends the task, with the reason.
  @Test func anUploadWhoseAnswerHasNoPlaceFails() async throws {
    let server = try self.server()
    // Where the first task of a queue has its answer.
    try FileManager.default.createDirectory(
      at: fixture.state.appending(path: "files/1.body"), withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700])
    let source = try fixture.directory.write("source", "body")
    let program = try fixture.program("test", "upload:\(source.path),\(server.url("/a"))")
    let code = URLError.Code.cannotWriteToFile.rawValue
    #expect(try await program.says("ended 1 \(code)", timeout: .seconds(60)), "\(program.lines)")
    #expect(program.lines.contains { $0.contains(String(cString: strerror(EISDIR))) }, "\(program.lines)")
    await program.kill()
    await fixture.stop()
  }
}
