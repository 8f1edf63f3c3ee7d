import Foundation
import Testing
import URLLoadingTestServers

/// `urlload --background` and `urlload jobs`.
@Suite(.timeLimit(.minutes(3))) struct JobsTests {
  private let folder: TemporaryDirectory
  private let environment: [String: String?]

  init() throws {
    folder = try TemporaryDirectory("jobs")
    environment = [
      "HOME": folder.path, "XDG_RUNTIME_DIR": folder.path, "XDG_STATE_HOME": folder.file("state").path,
      "XDG_CONFIG_HOME": folder.path, "XDG_DATA_HOME": folder.path, "TMPDIR": folder.path,
      "URLLOADD": BuiltProgram.path("urlloadd"),
    ]
  }

  private func run(_ arguments: [String]) async throws -> Command.Outcome {
    try await Urlload.run(arguments, environment: environment, in: folder)
  }

  private func stop() throws {
    let lock = folder.file("state/url-loading/urlloadd/lock")
    let text = try String(contentsOf: lock, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
    if let service = pid_t(text) { kill(service, SIGTERM) }
  }

  @Test func filesComeToTheirPlaces() async throws {
    let server = try await NginxServer.shared
    let queued = try await run([
      "--background", "-o", "a.bin", server.url("/large.bin").absoluteString, "-o", "b.txt",
      server.url().absoluteString,
    ])
    #expect(queued.status == .exited(0), "\(queued.error)")
    #expect(queued.error.split(separator: "\n").count == 2, "\(queued.error)")
    // The service starts the command that takes them, when both are there.
    #expect(
      try await eventually(timeout: .seconds(30)) {
        (try? Data(contentsOf: folder.file("b.txt"))) == DocumentRoot.small
          && access(folder.file("a.bin").path, F_OK) == 0
      })
    #expect(try TestFiles.firstDifference(in: folder.file("a.bin"), count: DocumentRoot.largeSize) == nil)
    #expect(try await eventually { try await run(["jobs"]).text.isEmpty })
    try stop()
  }

  @Test func jobsAreListedCancelledAndLimited() async throws {
    let queued = try await run(["--background", "-O", "http://127.0.0.1:9/never.bin"])
    #expect(queued.error == "urlload: queued http://127.0.0.1:9/never.bin\n", "\(queued.error)")
    #expect(
      try await eventually {
        try await run(["jobs"]).text.hasPrefix("1 tries again 0 B http://127.0.0.1:9/never.bin (")
      })
    let list = try await run(["jobs", "--json"])
    #expect(list.text.contains("\"url\":\"http://127.0.0.1:9/never.bin\""), "\(list.text)")
    let limits = try await run(["jobs", "limits", "--transfers", "3", "--rate", "100000"])
    #expect(limits.text == "transfers  3\nper-host   6\nrate       100000\nfree-space 67108864\n", "\(limits.text)")
    #expect(try await run(["jobs", "cancel", "7"]).error.contains("There is no job 7"))
    #expect(try await run(["jobs", "cancel", "1"]).status == .exited(0))
    // Its end is told by whoever takes what there is.
    #expect(try await eventually { try await run(["jobs"]).text.isEmpty })
    try stop()
  }

  @Test(arguments: [
    (["jobs", "cancel"], "cancel needs the numbers of jobs"), (["jobs", "list", "1"], "list takes no numbers"),
    (["jobs", "--rate", "3"], "belong to limits"),
    (["--background", "data:,x"], "--background has no standard output"),
  ])
  func wrongWordsAreNamed(_ arguments: [String], _ words: String) async throws {
    let outcome = try await run(arguments)
    #expect(outcome.status == .exited(2), "\(outcome.error)")
    #expect(outcome.error.contains(words), "\(outcome.error)")
  }
}
