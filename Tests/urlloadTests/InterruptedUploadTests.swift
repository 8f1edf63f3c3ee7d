import Foundation
import Testing
import URLLoadingTestServers

/// Uploads that a signal or `--max-time` ends: what they had begun to store goes, or the command says what is left where.
@Suite(.serialized, .timeLimit(.minutes(3))) struct InterruptedUploadTests {
  /// What ends the command, and how that ends.
  enum End: CaseIterable {
    case interrupt, terminate, time

    var signal: Int32? {
      switch self {
      case .interrupt: SIGINT
      case .terminate: SIGTERM
      case .time: nil
      }
    }

    var status: URLLoadingTestServers.ExitStatus { signal.map { .signalled($0) } ?? .exited(6) }

    var options: [String] { self == .time ? ["--max-time", "5"] : [] }
  }

  private let server: SSHServer
  private let folder: TemporaryDirectory
  /// A folder of the server's that is this test's own.
  private let place: URL

  init() async throws {
    server = try await SSHServer.start()
    folder = try TemporaryDirectory("urlload-home")
    let key = try await SSHServer.clientKeys.ed25519.file.path
    try folder.write(".ssh/known_hosts", server.knownHosts)
    try folder.write(".ssh/config", "Host *\n  IdentityFile \"\(key)\"\n  IdentitiesOnly yes\n")
    chmod(folder.file(".ssh/config").path, 0o600)
    place = server.home.appendingPathComponent("p")
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
  }

  private func names(_ place: URL) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: place.path).sorted()
  }

  private func start(_ arguments: [String], input: String) throws -> ChildProcess {
    try ChildProcess(
      BuiltProgram.path("urlload"), arguments,
      environment: ["CFFIXED_USER_HOME": folder.path, "SSH_AUTH_SOCK": nil], directory: folder.url,
      input: URL(fileURLWithPath: input), output: folder.file("output"), error: folder.file("error"))
  }

  private var error: String { (try? String(contentsOf: folder.file("error"), encoding: .utf8)) ?? "" }

  /// A pipe that gives some bytes, and then neither more nor its end.
  private func stalledPipe() throws -> (path: String, descriptor: Int32) {
    let path = folder.file("pipe").path
    guard mkfifo(path, 0o600) == 0 else { throw TestServerError.system("mkfifo") }
    let descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
    _ = write(descriptor, "contents", 8)
    return (path, descriptor)
  }

  /// Waits until an upload has its temporary file.
  private func waitForPart(in place: URL, of process: ChildProcess) async throws {
    #expect(
      try await eventually(interval: .milliseconds(5)) {
        if process.exitStatus != nil { return true }
        return try names(place).contains { $0 != "f" }
      })
    #expect(process.exitStatus == nil, "\(error)")
  }

  @Test(arguments: End.allCases, [true, false])
  func anUploadOverSFTPLeavesNothing(end: End, isBusy: Bool) async throws {
    try Data("old".utf8).write(to: place.appendingPathComponent("f"))
    let pipe = try stalledPipe()
    defer { close(pipe.descriptor) }
    let url = server.url("/~/p/f").absoluteString
    let process = try start(end.options + ["-T", "-", url], input: isBusy ? "/dev/zero" : pipe.path)
    try await waitForPart(in: place, of: process)
    if let signal = end.signal { process.send(signal: signal) }
    #expect(await process.waitForExit() == end.status, "\(error)")
    #expect(try names(place) == ["f"], "\(error)")
    #expect(try String(contentsOf: place.appendingPathComponent("f"), encoding: .utf8) == "old")
    #expect(!error.contains(".part"), "\(error)")
    if end.signal != nil { #expect(error.contains("nothing of unfinished files is left"), "\(error)") }
    await server.stop()
  }

  /// A server that does not answer cannot have removed anything.
  @Test(arguments: End.allCases) func aServerThatIsSilentIsSaidToHaveTheRest(end: End) async throws {
    let pipe = try stalledPipe()
    defer { close(pipe.descriptor) }
    let process = try start(end.options + ["-T", "-", server.url("/~/p/a b").absoluteString], input: pipe.path)
    try await waitForPart(in: place, of: process)
    server.freezeConnections()
    defer { server.freezeConnections(false) }
    if let signal = end.signal { process.send(signal: signal) }
    #expect(await process.waitForExit(timeout: .seconds(10)) == end.status, "\(error)")
    let part = try #require(try names(place).first)
    let encoded = part.replacingOccurrences(of: " ", with: "%20")
    #expect(error.contains(server.url("/~/p/").absoluteString + encoded), "\(error)")
    #expect(!error.contains("nothing of unfinished files is left"))
    server.freezeConnections(false)
    await server.stop()
  }

  @Test func aSecondSignalEndsAtOnce() async throws {
    let pipe = try stalledPipe()
    defer { close(pipe.descriptor) }
    let process = try start(["-T", "-", server.url("/~/p/f").absoluteString], input: pipe.path)
    try await waitForPart(in: place, of: process)
    server.freezeConnections()
    defer { server.freezeConnections(false) }
    process.send(signal: SIGINT)
    // Until the first is seen by its effect, the second might be one with it.
    #expect(try await eventually(interval: .milliseconds(1)) { error.contains("interrupted") })
    let begin = ContinuousClock.now
    process.send(signal: SIGINT)
    #expect(await process.waitForExit(timeout: .seconds(10)) == .signalled(SIGINT))
    #expect(begin.duration(to: .now) < .seconds(2))
    #expect(!error.contains("nothing of unfinished files is left"), "\(error)")
    server.freezeConnections(false)
    await server.stop()
  }

  @Test(arguments: End.allCases, [true, false])
  func anUploadToAFileLeavesNothing(end: End, isBusy: Bool) async throws {
    let place = folder.file("place")
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    let pipe = try stalledPipe()
    defer { close(pipe.descriptor) }
    let process = try start(
      end.options + ["-T", "-", place.appendingPathComponent("f").absoluteString],
      input: isBusy ? "/dev/zero" : pipe.path)
    try await waitForPart(in: place, of: process)
    if let signal = end.signal { process.send(signal: signal) }
    #expect(await process.waitForExit() == end.status, "\(error)")
    #expect(try names(place) == [], "\(error)")
    if end.signal != nil { #expect(error.contains("nothing of unfinished files is left"), "\(error)") }
    await server.stop()
  }

  /// FTP servers write under the name that was asked for: what has arrived stays there.
  @Test(arguments: End.allCases) func anUploadOverFTPIsSaidToBeLeft(end: End) async throws {
    let ftp = try await FTPServer.start()
    let pipe = try stalledPipe()
    defer { close(pipe.descriptor) }
    let url = ftp.url("/stored", user: FTPServer.user, password: FTPServer.password)
    let process = try start(end.options + ["-T", "-", url.absoluteString], input: pipe.path)
    #expect(
      try await eventually(interval: .milliseconds(5)) {
        process.exitStatus != nil
          || FileManager.default.fileExists(atPath: ftp.documentRoot.appendingPathComponent("stored").path)
      })
    if let signal = end.signal { process.send(signal: signal) }
    #expect(await process.waitForExit() == end.status, "\(error)")
    #expect(error.contains("left") && error.contains("/stored") && !error.contains("nothing of"), "\(error)")
    #expect(!error.contains("word"), "\(error)")
    await ftp.stop()
    await server.stop()
  }

  /// As of any other transfer that breaks off, whether the server is there for another try or not.
  @Test(arguments: [true, false]) func aDownloadOverSFTPThatBreaksOffHasItsExitCode(serverStays: Bool) async throws {
    let contents = place.appendingPathComponent("big")
    try TestFiles.write(count: 64 << 20, to: contents)
    // A pipe that nobody reads holds the download up in its middle.
    let pipe = folder.file("pipe").path
    #expect(mkfifo(pipe, 0o600) == 0)
    let descriptor = open(pipe, O_RDWR | O_NONBLOCK | O_CLOEXEC)
    defer { close(descriptor) }
    let process = try ChildProcess(
      BuiltProgram.path("urlload"), [server.url("/~/p/big").absoluteString],
      environment: ["CFFIXED_USER_HOME": folder.path, "SSH_AUTH_SOCK": nil], directory: folder.url,
      output: URL(fileURLWithPath: pipe), error: folder.file("error"))
    #expect(
      try await eventually(interval: .milliseconds(5)) {
        var count: Int32 = 0
        return ioctl(descriptor, UInt(FIONREAD), &count) == 0 && count > 0
      })
    if serverStays {
      // What is there now is another file.
      try FileManager.default.removeItem(at: contents)
      server.killConnections()
    } else {
      await server.stop()
    }
    let draining = Task.detached {
      var buffer = [UInt8](repeating: 0, count: 1 << 16)
      while !Task.isCancelled {
        var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        if poll(&ready, 1, 100) > 0 { _ = read(descriptor, &buffer, buffer.count) }
      }
    }
    let status = await process.waitForExit()
    draining.cancel()
    await draining.value
    #expect(status == .exited(serverStays ? 9 : 10), "\(error)")
    await server.stop()
  }

  /// A server that renames nothing: the file is written in place, and no temporary one stays.
  @Test func aRefusedRenameIsDoneWithout() async throws {
    var options = SSHServer.Options()
    options.subsystem = "/usr/lib/openssh/sftp-server -P rename,posix-rename"
    let server = try await SSHServer.start(options: options)
    try folder.write(".ssh/known_hosts", server.knownHosts)
    try folder.write("f", "contents")
    let outcome = try await Urlload.run(
      ["-T", "f", server.url("/~/f").absoluteString],
      environment: ["CFFIXED_USER_HOME": folder.path, "SSH_AUTH_SOCK": nil], in: folder)
    #expect(outcome.status == .exited(0), "\(outcome.error)")
    #expect(try names(server.home) == ["f"])
    #expect(try Data(contentsOf: server.home.appendingPathComponent("f")) == Data("contents".utf8))
    await server.stop()
    await self.server.stop()
  }
}
