import Foundation
import Testing
import URLLoadingTestServers

/// `urlload --background` and `urlload jobs`.
@Suite(.timeLimit(.minutes(3))) struct JobsTests {
  private let service: ServiceFolder
  private var folder: TemporaryDirectory { service.folder }

  init() throws { service = try ServiceFolder() }

  private func run(_ arguments: [String]) async throws -> Command.Outcome {
    try await Urlload.run(arguments, environment: service.environment, in: folder)
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
  }

  @Test func connectionsBeginWhereTheCommandSays() async throws {
    let server = try ScriptedServer { connection in
      while let request = try connection.readRequest() {
        try connection.send(HTTPResponse(text: connection.peer?.address ?? ""), to: request)
      }
    }
    let queued = try await run(["--background", "--interface", "127.0.0.88", "-o", "a", server.url().absoluteString])
    #expect(queued.status == .exited(0), "\(queued.error)")
    #expect(
      try await eventually(timeout: .seconds(30)) {
        (try? String(contentsOf: folder.file("a"), encoding: .utf8)) == "127.0.0.88"
      })
    #expect(try await eventually { try await run(["jobs"]).text.isEmpty })
  }

  @Test func whatAServerRefusesIsNoFile() async throws {
    let server = try ScriptedServer.http { request in
      request.path == "/none" ? HTTPResponse(404, text: "nothing here") : HTTPResponse(text: "new")
    }
    for name in ["kept", "replaced"] {
      try folder.write(name, "old")
      chmod(folder.file(name).path, 0o640)
    }
    let files = ["kept": "/none", "replaced": "/a", "made": "/a", "errors/page": "/none"].sorted { $0.key < $1.key }
    for (name, path) in files {
      let options = name.contains("/") ? ["--fail-with-body", "--create-dirs"] : []
      let queued = try await run(options + ["--background", "-o", name, server.url(path).absoluteString])
      #expect(queued.status == .exited(0), "\(queued.error)")
    }
    let failed = "failed \(server.url("/none").absoluteString) (the server answered 404 not found)\n"
    #expect(try await eventually(timeout: .seconds(60)) { try await run(["jobs"]).text == failed + failed })
    #expect(
      try await eventually(timeout: .seconds(60)) {
        try ["made", "replaced", "errors/page"].allSatisfy {
          try String(contentsOf: folder.file($0), encoding: .utf8) != "old"
        }
      })
    let texts = try ["kept", "made", "replaced", "errors/page"].map {
      try String(contentsOf: folder.file($0), encoding: .utf8)
    }
    #expect(texts == ["old", "new", "new", "nothing here"])
    // As any program's, with the umask of this process.
    close(open(folder.file("ordinary").path, O_CREAT | O_WRONLY | O_CLOEXEC, 0o666))
    let modes = try ["replaced", "made", "ordinary"].map {
      try #require(FileManager.default.attributesOfItem(atPath: folder.file($0).path)[.posixPermissions] as? Int)
    }
    #expect(modes == [0o640, modes[2], modes[2]])
    let full = try await run(["jobs", "forget"])
    #expect(full.status == .exited(0))
    #expect(try await eventually { try await run(["jobs"]).text.isEmpty })
  }

  @Test func filesGetTheTimeOfTheServerWhereThatIsWanted() async throws {
    let server = try ScriptedServer.http { _ in
      HTTPResponse(fields: ["Last-Modified": "Wed, 21 Oct 2015 07:28:00 GMT"], text: "old")
    }
    for (name, options) in [("now", []), ("then", ["-R"])] {
      let queued = try await run(options + ["--background", "-o", name, server.url().absoluteString])
      #expect(queued.status == .exited(0), "\(queued.error)")
    }
    func time(_ name: String) -> Int? {
      var status = stat()
      return stat(folder.file(name).path, &status) == 0 ? status.st_mtim.tv_sec : nil
    }
    // A file has its name before it has its time.
    #expect(try await eventually { time("then") == 1_445_412_480 })
    #expect(try await eventually { time("now") != nil })
    #expect(time("now") != 1_445_412_480)
  }

  /// Those of each load, not of the command that was the last to use the session.
  @Test func fieldsThatAreTakenAwayAreNotSent() async throws {
    let server = try ScriptedServer.http { _ in HTTPResponse(text: "ok") }
    let without = try await run([
      "--background", "-o", "first", "-A", "", "-H", "Accept:", "-H", "X-Own: 1", server.url("/first").absoluteString,
    ])
    #expect(without.status == .exited(0), "\(without.error)")
    let with = try await run(["--background", "-o", "second", server.url("/second").absoluteString])
    #expect(with.status == .exited(0), "\(with.error)")
    #expect(try await eventually(timeout: .seconds(60)) { server.requests.count == 2 })
    let first = try #require(server.requests.first { $0.path == "/first" }).fields
    #expect(first["User-Agent"] == nil && first["Accept"] == nil && first["X-Own"] == "1")
    let second = try #require(server.requests.first { $0.path == "/second" }).fields
    #expect(second["User-Agent"] != nil && second["Accept"] != nil)
  }

  /// The command answers no questions.
  @Test func aServerThatIsNotTrustedFails() async throws {
    let url = try await NginxServer.shared.url(on: .httpsSelfSigned).absoluteString
    let queued = try await run(["--background", "-o", "file", url])
    #expect(queued.status == .exited(0), "\(queued.error)")
    #expect(try await eventually(timeout: .seconds(60)) { try await run(["jobs"]).text.hasPrefix("failed \(url) (") })
  }

  @Test func whatHasNoPlaceIsNotQueued() async throws {
    let url = "http://127.0.0.1:9/never.bin"
    let queued = try await run(["--background", "-o", "a", "-o", "none/b", url, url])
    #expect(queued.status == .exited(11) && queued.error.contains("none"), "\(queued.error)")
    #expect(try await run(["jobs"]).text.isEmpty)
  }

  /// One process at a time has the session: the others wait.
  @Test func severalCommandsQueueAtATime() async throws {
    let script = "for i in 1 2 3 4 5 6; do \"$0\" --background -o $i http://127.0.0.1:9/$i & done; wait"
    let outcome = try await Command.run(
      "/bin/bash", ["-c", script, BuiltProgram.path("urlload")], environment: service.environment, directory: folder.url
    )
    let lines = outcome.error.split(separator: "\n").sorted()
    #expect(lines.map { String($0) } == (1...6).map { "urlload: queued http://127.0.0.1:9/\($0)" })
    #expect(try await run(["jobs"]).text.split(separator: "\n").count == 6)
    let full = try await Command.run(
      "/bin/bash", ["-c", "\"$0\" jobs > /dev/full", BuiltProgram.path("urlload")], environment: service.environment,
      directory: folder.url)
    #expect(full.status == .exited(11) && full.error.contains("standard output"), "\(full.error)")
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
  }

  @Test(arguments: [
    (["jobs", "cancel"], "cancel needs the numbers of jobs"), (["jobs", "list", "1"], "list takes no numbers"),
    (["jobs", "--rate", "3"], "belong to limits"),
    (["--background", "data:,x"], "--background has no standard output"),
    (["--background", "-O", "-k", "data:,x"], "--background has no -k"),
    (["--background", "-O", "-c", "jar", "data:,x"], "--background has no -c"),
    (["--background", "-O", "-w", "x", "data:,x"], "--background has no -w"),
    (["--background", "-O", "--fail-early", "data:,x"], "--background has no --fail-early"),
    (["--background", "-O", "--no-clobber", "data:,x"], "--background has no --no-clobber"),
    (["--background", "-O", "--etag-save", "a", "data:,x"], "--background has no --etag-save"),
    (["--background", "-O", "-v", "data:,x"], "--background has no -v"),
    (["--background", "-O", "-b", "", "-b", "a=b", "data:,x"], "--background has no -b FILE"),
    (["--background", "-T", "/dev/null", "-o", "answer", "http://127.0.0.1:9/"], "--background keeps no answer to -T"),
    (["--background", "-H", "X-Time: 12:", "data:,x"], "--background has no standard output"),
    (["--background", "-o", "/dev/zero", "data:,x"], "--background replaces no device and no pipe, /dev/zero"),
    (["--background", "-O", "--retry", "3", "data:,x"], "the service tries again by itself"),
  ])
  func wrongWordsAreNamed(_ arguments: [String], _ words: String) async throws {
    let outcome = try await run(arguments)
    #expect(outcome.status == .exited(2), "\(outcome.error)")
    #expect(outcome.error.contains(words), "\(outcome.error)")
  }
}
