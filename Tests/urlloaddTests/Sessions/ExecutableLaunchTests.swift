import Foundation
import Testing
import URLLoadingTestServers

/// Programs that the service starts itself, when their tasks are done.
@Suite(.timeLimit(.minutes(3))) struct ExecutableLaunchTests {
  private let fixture: BackgroundFixture

  init() throws { fixture = try BackgroundFixture() }

  @Test func theProgramIsStartedWhenItsTasksAreDone() async throws {
    let server = try OutlivingTests.slowServer()
    let sign = fixture.directory.file("sign")
    let script = try fixture.directory.writeScript("launched.sh", "echo started >> '\(sign.path)'")
    try await fixture.leave("test", "--launched-by", script.path, "download:\(server.url("/a"))")
    #expect(try await eventually(timeout: .seconds(20)) { FileManager.default.fileExists(atPath: sign.path) })
    let program = try fixture.program()
    #expect(try await program.says("ended 1 0 200"))
    #expect(try String(contentsOf: sign, encoding: .utf8) == "started\n")
    await program.kill()
    await fixture.stop()
  }

  @Test func itsArgumentsArriveAsTheyAre() async throws {
    let server = try ScriptedServer.http { _ in HTTPResponse(text: "body") }
    let record = fixture.directory.file("arguments")
    // The file is there when it is whole.
    let script = try fixture.directory.writeScript(
      "launched.sh",
      """
      printf '%s\\0' "$@" >'\(record.path).part'
      mv '\(record.path).part' '\(record.path)'
      """)
    let arguments = ["a b", "it's \"quoted\"", "$HOME `id` \\", "", "*", "two\nlines", "--exit", "ä"]
    let options = ["--exit", "--launched-by", script.path] + arguments.flatMap { ["--launch-argument", $0] }
    let program = try fixture.program(arguments: options + ["download:\(server.url("/a"))"])
    #expect(await program.process.waitForExit(timeout: .seconds(60)) == .exited(0), "\(program.lines)")
    #expect(try await eventually { FileManager.default.fileExists(atPath: record.path) })
    let text = try String(contentsOf: record, encoding: .utf8)
    #expect(text == arguments.map { "\($0)\0" }.joined())
    await fixture.stop()
  }
}
