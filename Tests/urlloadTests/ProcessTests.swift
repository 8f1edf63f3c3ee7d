import Foundation
import Testing
import URLLoadingTestServers

/// The command among other processes: descriptors, signals.
@Suite(.timeLimit(.minutes(2))) struct ProcessTests {
  @Test func closedDescriptorsAreNobodyElses() async throws {
    let server = try ScriptedServer.silent()
    let folder = try TemporaryDirectory("urlload")
    let process = try ChildProcess(
      "/bin/bash",
      ["-c", "exec \"$0\" -o a \"$1\" <&- >&- 2>&-", BuiltProgram.path("urlload"), server.url().absoluteString],
      directory: folder.url, output: folder.file("output"), error: folder.file("error"))
    #expect(await server.waitForRequests(1))
    for descriptor in 0...2 {
      let target = try FileManager.default.destinationOfSymbolicLink(
        atPath: "/proc/\(process.processID)/fd/\(descriptor)")
      #expect(target == "/dev/null", "\(descriptor)")
    }
    await process.stop()
    // What nobody can get is not said to have been written.
    let closed = try await Urlload.shell("\"$0\" data:,x >&-")
    #expect(closed.status == .exited(11), "\(closed.error)")
  }

  @Test func anInterruptThatIsIgnoredStaysSo() async throws {
    let server = try ScriptedServer.silent()
    let folder = try TemporaryDirectory("urlload")
    let process = try ChildProcess(
      "/bin/bash",
      ["-c", "trap '' INT; exec \"$0\" \"$1\"", BuiltProgram.path("urlload"), server.url().absoluteString],
      output: folder.file("output"), error: folder.file("error"))
    #expect(await server.waitForRequests(1))
    process.send(signal: SIGINT)
    process.send(signal: SIGTERM)
    #expect(await process.waitForExit() == .signalled(SIGTERM))
  }

  @Test func anInterruptEndsALoopOfTheShell() async throws {
    let server = try ScriptedServer.silent()
    let folder = try TemporaryDirectory("urlload")
    // bash ends its loop where the command was ended by the signal, and runs on where it exits.
    let script = "for i in 1 2 3; do \"$0\" \"$1\"; echo $i; done"
    let process = try ChildProcess(
      "/bin/bash", ["-c", script, BuiltProgram.path("urlload"), server.url().absoluteString],
      output: folder.file("output"), error: folder.file("error"))
    #expect(await server.waitForRequests(1))
    kill(-process.processID, SIGINT)
    #expect(await process.waitForExit() == .signalled(SIGINT))
    #expect(try Data(contentsOf: folder.file("output")).isEmpty)
    #expect(server.requests.count == 1)
  }
}
