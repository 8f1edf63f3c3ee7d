import Testing
import URLLoadingTestServers

/// Code that says `import FoundationNetworking` gets this library when its package names our product of that name.
@Suite struct DropInTests {
  @Test func anUnchangedProgramRunsOnThisLibrary() async throws {
    let server = try await NginxServer.shared
    let outcome = try await Command.run(
      BuiltProgram.path("URLLoadingDropIn"), [server.url().absoluteString, "data:,Hi"])
    #expect(outcome.status == .exited(0))
    #expect(outcome.text == "http 200 1024 URLLoading.URLSession\ndata 0 2 URLLoading.URLSession\n")
  }

  @Test func theToolchainsModuleIsNotLinked() async throws {
    let outcome = try await Command.run("/usr/bin/ldd", [BuiltProgram.path("URLLoadingDropIn")])
    #expect(outcome.status == .exited(0))
    #expect(outcome.text.contains("libcurl"))
    #expect(!outcome.text.contains("FoundationNetworking"))
  }
}
