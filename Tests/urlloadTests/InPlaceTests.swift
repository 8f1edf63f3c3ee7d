import Foundation
import Testing
import URLLoadingTestServers

/// Files that are written as they are, because no other can be made beside them, and pipes.
@Suite(.timeLimit(.minutes(5))) struct InPlaceTests {
  private static let body = TestFiles.pattern(count: 100_000, seed: 79)
  private let folder: TemporaryDirectory

  /// A file that may be written, in a folder that may only be read.
  init() throws {
    folder = try TemporaryDirectory("urlload")
    try folder.write("inner/a", "old and long")
    chmod(folder.file("inner/a").path, 0o666)
    chmod(folder.file("inner").path, 0o555)
    chmod(folder.path, 0o755)
  }

  /// The command as somebody to whom folders may be forbidden: to the superuser none is.
  private static var command: [String] {
    (geteuid() == 0 ? ["setpriv", "--reuid=65534", "--clear-groups"] : ["env"]) + [BuiltProgram.path("urlload")]
  }

  /// A server that sends the beginning of a body.
  /// - Parameter holds: whether the connection stays open after it.
  private static func server(holds: Bool) throws -> ScriptedServer {
    try ScriptedServer { connection in
      guard try connection.readRequest() != nil else { return }
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\n\r\n")
      try connection.send(body.prefix(40_000))
      if holds { _ = connection.waitForPeerClose(timeout: .seconds(60)) }
    }
  }

  private func data() throws -> Data { try Data(contentsOf: folder.file("inner/a")) }

  /// So that the folder can be removed.
  private func allowWriting() { chmod(folder.file("inner").path, 0o755) }

  @Test func theFileIsReplacedByTheWholeAndToldToBeAPart() async throws {
    defer { allowWriting() }
    let outcome = try await Command.run(
      "/usr/bin/env", Self.command + ["-o", "inner/a", "data:,new"], directory: folder.url)
    #expect(outcome.status == .exited(0), "\(outcome.error)")
    #expect(try data() == Data("new".utf8))
    let server = try Self.server(holds: false)
    let broken = try await Command.run(
      "/usr/bin/env", Self.command + ["-o", "inner/a", server.url().absoluteString], directory: folder.url)
    #expect(broken.status == .exited(10), "\(broken.error)")
    #expect(broken.error.contains("urlload: inner/a has only a part now\n"), "\(broken.error)")
  }

  @Test(arguments: [(SIGINT, "interrupted"), (SIGTERM, "terminated")])
  func aSignalSaysThatTheFileIsAPart(signal: Int32, event: String) async throws {
    defer { allowWriting() }
    let server = try Self.server(holds: true)
    let log = try TemporaryDirectory("log")
    let process = try ChildProcess(
      "/usr/bin/env", Self.command + ["-o", "inner/a", server.url().absoluteString], directory: folder.url,
      output: log.file("output"), error: log.file("error"))
    #expect(try await eventually { try data() == Self.body.prefix(40_000) })
    process.send(signal: signal)
    #expect(await process.waitForExit() == .signalled(signal))
    let error = try String(contentsOf: log.file("error"), encoding: .utf8)
    #expect(error == "urlload: \(event): inner/a has only a part now\n")
  }

  /// A limit on the size of files stands for a disk without room.
  @Test(.enabled(if: !Sanitizing.isOn)) func aFullDiskLeavesAPart() async throws {
    defer { allowWriting() }
    let server = try Self.server(holds: false)
    let script = "trap '' XFSZ; ulimit -f 20; exec /usr/bin/env \"$@\""
    let outcome = try await Command.run(
      "/bin/bash", ["-c", script, "bash"] + Self.command + ["-o", "inner/a", server.url().absoluteString],
      directory: folder.url)
    #expect(outcome.status == .exited(11), "\(outcome.error)")
    #expect(outcome.error.hasSuffix("urlload: inner/a has only a part now\n"), "\(outcome.error)")
    #expect(try data() == Self.body.prefix(20_480))
  }

  @Test func aSignalLeavesAPipeAlone() async throws {
    defer { allowWriting() }
    let server = try Self.server(holds: true)
    let (path, log) = (folder.file("pipe").path, try TemporaryDirectory("log"))
    #expect(mkfifo(path, 0o600) == 0)
    let reader = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
    defer { close(reader) }
    let process = try ChildProcess(
      BuiltProgram.path("urlload"), ["-o", "pipe", server.url().absoluteString], directory: folder.url,
      output: log.file("output"), error: log.file("error"))
    let isThere = try await eventually {
      var count: Int32 = 0
      return ioctl(reader, UInt(FIONREAD), &count) == 0 && count == 40_000
    }
    #expect(isThere)
    process.send(signal: SIGTERM)
    #expect(await process.waitForExit() == .signalled(SIGTERM))
    let error = try String(contentsOf: log.file("error"), encoding: .utf8)
    #expect(error == "urlload: terminated: nothing of unfinished files is left\n")
    var status = stat()
    #expect(lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO)
    #expect(try Urlload.names(in: folder) == ["inner", "pipe"])
  }
}
