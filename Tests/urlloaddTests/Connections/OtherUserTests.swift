import Foundation
import Testing
import URLLoadingTestServers

/// Who may talk to the service, and how much.
@Suite(.timeLimit(.minutes(3))) struct OtherUserTests {
  private let fixture: BackgroundFixture

  init() throws { fixture = try BackgroundFixture() }

  /// Another user can be played by the superuser alone.
  @Test(.enabled(if: geteuid() == 0)) func anotherUserGetsNothing() async throws {
    let program = try fixture.program()
    let socket = fixture.directory.file("run/url-loading/urlloadd.socket").path
    #expect(try await eventually { access(socket, F_OK) == 0 })
    let script = """
      import socket, struct, sys
      s = socket.socket(socket.AF_UNIX)
      s.connect(sys.argv[1])
      body = b'{"number":1,"command":{"hello":{"version":1,"package":"0"}}}'
      s.sendall(struct.pack('>I', len(body)) + body)
      print(len(s.recv(100)))
      """
    let arguments = ["--reuid", "65534", "--clear-groups", "/usr/bin/python3", "-c", script, socket]
    let refused = try await Command.run("setpriv", arguments)
    #expect(refused.error.contains("PermissionError"), "\(refused.text) \(refused.error)")
    // Where somebody has opened the folders and the socket, it is the service that refuses.
    var folder = fixture.directory.file("run/url-loading")
    while folder.path != "/tmp", folder.path != "/" {
      chmod(folder.path, 0o711)
      folder.deleteLastPathComponent()
    }
    chmod(socket, 0o666)
    let ended = try await Command.run("setpriv", arguments)
    #expect(
      ended.text == "0\n" || ended.error.contains("BrokenPipe") || ended.error.contains("ConnectionReset"),
      "\(ended.text) \(ended.error)")
    // The same words from the user are answered.
    let own = try await Command.run("/usr/bin/python3", Array(arguments.dropFirst(4)))
    #expect(own.text == "100\n" || (Int(own.text.dropLast()) ?? 0) > 0, "\(own.text) \(own.error)")
    await program.kill()
    await fixture.stop()
  }

  @Test func aFullQueueTakesNoMore() async throws {
    let starter = try ProgramStarter(in: fixture.directory, arguments: ["--most-tasks", "2"])
    let program = try fixture.program(
      "test", "--delay", "1000", "--many", "3", "download:http://127.0.0.1:9/", environment: ["URLLOADD": starter.path])
    #expect(try await program.says("ended 3 -3003"), "\(program.lines)")
    #expect(program.lines.contains { $0.contains("takes no more") }, "\(program.lines)")
    #expect(program.all("ended").count == 1)
    await program.kill()
    await fixture.stop()
  }

  @Test func anIdleServiceEnds() async throws {
    let starter = try ProgramStarter(in: fixture.directory, arguments: ["--idle-seconds", "1"])
    let program = try fixture.program("test", environment: ["URLLOADD": starter.path])
    #expect(try await eventually { fixture.service != nil })
    program.tell("tasks")
    #expect(try await program.says("tasks"))
    await program.kill()
    #expect(try await eventually(timeout: .seconds(30)) { fixture.service == nil })
    #expect(access(fixture.directory.file("run/url-loading/urlloadd.socket").path, F_OK) != 0)
    await fixture.stop()
  }
}
