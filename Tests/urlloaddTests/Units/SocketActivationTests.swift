import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// Sockets that whoever starts the service has opened for it, as systemd does (sd_listen_fds(3)).
@Suite(.timeLimit(.minutes(5))) struct SocketActivationTests {
  /// Becomes the service, whose descriptor 3 is a socket that listens in a folder. `LISTEN_PID` is its own number where none is given.
  private static let starter = """
    import os, socket, sys
    folder, name, count, process, program = sys.argv[1:]
    os.chdir(folder)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(name)
    listener.listen(8)
    os.dup2(listener.fileno(), 3)
    os.set_inheritable(3, True)
    os.chdir("/")
    variables = dict(os.environ, LISTEN_FDS=count, LISTEN_PID=process or str(os.getpid()))
    os.execve(program, [program], variables)
    """
  private let fixture: BackgroundFixture

  init() throws { fixture = try BackgroundFixture() }

  /// Where programs look for the service that has the socket. Its own one would be elsewhere: who is answered there has the inherited one.
  private var other: BackgroundServicePlace {
    BackgroundServicePlace(
      environment: ["XDG_RUNTIME_DIR": fixture.directory.file("other").path], user: geteuid(),
      temporaryDirectory: fixture.directory.path)
  }

  /// Of programs that start no service themselves.
  private var environment: [String: String?] {
    ["XDG_RUNTIME_DIR": fixture.directory.file("other").path, "URLLOADD": "/nonexistent/urlloadd"]
  }

  private func path(at place: BackgroundServicePlace) -> String {
    "\(place.runtimeDirectory)/\(BackgroundServicePlace.socketName)"
  }

  private func startService(count: String, process: String) async throws -> ChildProcess {
    try FileManager.default.createDirectory(
      atPath: other.runtimeDirectory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let log = fixture.directory.file("service.log")
    let service = try ChildProcess(
      try PackageFolder.python,
      [
        "-c", Self.starter, other.runtimeDirectory, BackgroundServicePlace.socketName, count, process,
        BuiltProgram.path("urlloadd"),
      ],
      environment: fixture.environment, output: log, error: log)
    #expect(
      try await eventually { fixture.service == service.processID },
      "\((try? String(contentsOf: log, encoding: .utf8)) ?? "")")
    return service
  }

  @Test func theServiceListensAtIt() async throws {
    let service = try await startService(count: "1", process: "")
    let server = try ScriptedServer.http { _ in HTTPResponse(text: "body") }
    let program = try fixture.program("test", "download:\(server.url("/a"))", environment: environment)
    #expect(try await program.says("ended 1 0 200", timeout: .seconds(60)), "\(program.lines)")
    #expect(fixture.service == service.processID)
    #expect(access(path(at: fixture.place), F_OK) != 0)
    await program.kill()
    // The next connection starts another service with it.
    service.send(signal: SIGTERM)
    #expect(await service.waitForExit(timeout: .seconds(60)) == .exited(0))
    #expect(access(path(at: other), F_OK) == 0)
    await fixture.stop()
  }

  @Test func programsThatTheServiceStartsHaveNothingOfIt() async throws {
    let service = try await startService(count: "1", process: "")
    let server = try ScriptedServer.http { _ in HTTPResponse(text: "body") }
    let sign = fixture.directory.file("sign").path
    let script = try fixture.directory.writeScript(
      "launched.sh",
      """
      env >'\(sign).new'
      [ -e /proc/$$/fd/3 ] && echo DESCRIPTOR >>'\(sign).new'
      mv '\(sign).new' '\(sign)'
      """)
    let program = try fixture.program(
      "test", "--exit", "--launched-by", script.path, "download:\(server.url("/a"))", environment: environment)
    #expect(await program.process.waitForExit(timeout: .seconds(60)) == .exited(0), "\(program.lines)")
    #expect(try await eventually { access(sign, F_OK) == 0 })
    let text = try String(contentsOfFile: sign, encoding: .utf8)
    #expect(text.contains("XDG_STATE_HOME=") && !text.contains("LISTEN_") && !text.contains("DESCRIPTOR"), "\(text)")
    await service.stop()
    await fixture.stop()
  }

  /// Variables that are another process's, such as a shell's that was started so, and more sockets than the service knows.
  @Test(arguments: [("1", "1"), ("2", ""), ("0", ""), ("1", "x")])
  func whatIsNotMeantForItIsIgnored(count: String, process: String) async throws {
    let service = try await startService(count: count, process: process)
    // It listens at its own place.
    let server = try ScriptedServer.http { _ in HTTPResponse(text: "body") }
    _ = try await fixture.control()
    let program = try fixture.program(
      "test", "download:\(server.url("/a"))", environment: ["URLLOADD": "/nonexistent/urlloadd"])
    #expect(try await program.says("ended 1 0 200", timeout: .seconds(60)), "\(program.lines)")
    #expect(fixture.service == service.processID)
    await program.kill()
    await service.stop()
    await fixture.stop()
  }
}
