import Foundation
import Testing
import URLLoadingTestServers

/// The command among other processes: descriptors, signals, a full disk.
@Suite(.timeLimit(.minutes(2))) struct ProcessTests {
  @Test func closedDescriptorsAreNobodyElses() async throws {
    let folder = try TemporaryDirectory("urlload")
    let url = try await NginxServer.shared.url().absoluteString
    // Without a descriptor 1 and 2 messages would go into the first files that are opened.
    let quiet = try await Urlload.shell(
      "cd \"$2\"; \"$0\" -v -o a \"$1\" <&- >&- 2>&-", [url, folder.path])
    #expect(quiet.status == .exited(0))
    #expect(try Data(contentsOf: folder.file("a")) == DocumentRoot.small)
    #expect(try Urlload.names(in: folder) == ["a"])
    let closed = try await Urlload.shell("\"$0\" \"$1\" >&-", [url])
    #expect(closed.status == .exited(11), "\(closed.error)")
  }

  @Test func anInterruptEndsALoopOfTheShell() async throws {
    let server = try ScriptedServer { connection in
      _ = try connection.readRequestHead()
      _ = connection.waitForPeerClose(timeout: .seconds(30))
    }
    let folder = try TemporaryDirectory("urlload")
    // bash ends its loop where the command was ended by the signal, and goes on where it exits.
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
