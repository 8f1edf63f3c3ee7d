import Foundation
import Glibc
import Testing
import URLLoading
import URLLoadingTestServers

/// Programs that say what no program should.
@Suite(.timeLimit(.minutes(5))) struct HostileClientTests {
  private let fixture: BackgroundFixture

  init() throws { fixture = try BackgroundFixture() }

  /// Connects to the service as anybody can who runs as its user.
  private func connect() throws -> FileHandle {
    let directory = open(fixture.directory.file("run/url-loading").path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    defer { close(directory) }
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    let error = LocalSocketAddress(directory: directory, name: "urlloadd.socket").connect(descriptor)
    guard error == 0 else { throw TestServerError("no service: \(error)") }
    return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }

  /// Whether the service has ended the connection by now; something of what it has said is dropped.
  private func hasEnded(_ handle: FileHandle) -> Bool {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = recv(handle.fileDescriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
    return count == 0 || (count < 0 && errno != EAGAIN)
  }

  /// Whether the service ends the connection.
  private func isEnded(_ handle: FileHandle) async throws -> Bool {
    try await eventually { hasEnded(handle) }
  }

  private func started() async throws -> BackgroundProgram {
    let program = try fixture.program("good")
    #expect(try await eventually { fixture.service != nil && (try? connect()) != nil })
    return program
  }

  @Test func garbageEndsItsConnectionAlone() async throws {
    let program = try await started()
    let service = fixture.service
    for garbage in [
      Data(repeating: 0xFF, count: 64), Data([0, 0, 0, 2]) + Data("{}".utf8), Data([0, 0, 0, 0]),
      Data([0, 15, 255, 255]) + Data(repeating: UInt8(ascii: "["), count: 1_048_575),
    ] {
      let handle = try connect()
      try? handle.write(contentsOf: garbage)
      #expect(try await isEnded(handle))
    }
    program.tell("tasks")
    #expect(try await program.says("tasks"))
    #expect(fixture.service == service)
    await program.kill()
    await fixture.stop()
  }

  @Test func whoDoesNotGreetGetsNothing() async throws {
    let program = try await started()
    let handle = try connect()
    let command = try #require(BackgroundFrames.encoded(NumberedCommand(number: 1, command: .jobs)))
    try handle.write(contentsOf: command)
    #expect(try await isEnded(handle))
    await program.kill()
    await fixture.stop()
  }

  @Test func aTaskCannotNameFilesOfOthers() async throws {
    let program = try await started()
    let secret = fixture.directory.file("secret")
    try Data("secret".utf8).write(to: secret)
    for name in ["../../../../secret", secret.path, "upload-../../../../secret", "upload-none"] {
      let handle = try connect()
      var task = BackgroundTaskDescription(
        kind: .upload, request: BackgroundValues.data(of: URLRequest(url: URL(fileURLWithPath: "/tmp/x"))))
      task.identifier = 1
      task.body = name
      var description = BackgroundSessionDescription(identifier: "bad", program: "bad")
      description.resourceTimeout = 10
      for command in [
        BackgroundCommand.hello(version: BackgroundWire.version, package: "0", program: nil),
        .attach(session: description), .create(task: task),
      ] {
        try handle.write(
          contentsOf: try #require(BackgroundFrames.encoded(NumberedCommand(number: 1, command: command))))
      }
      var frames = BackgroundFrames()
      var refusal: String?
      while refusal == nil {
        frames.append(try #require(try handle.read(upToCount: 1)))
        if case .refused(_, _, let reason) = try frames.next(BackgroundReport.self) { refusal = reason }
      }
      #expect(refusal?.contains("file to upload") == true, "\(name)")
      try handle.close()
      // Its identifier is free again when the service has seen the end.
      #expect(try await eventually { !FileManager.default.fileExists(atPath: "/tmp/x") })
    }
    await program.kill()
    await fixture.stop()
  }

  /// Connections that greet, and so may stay.
  private func greeted(_ count: Int) throws -> [FileHandle] {
    let hello = BackgroundCommand.hello(version: BackgroundWire.version, package: "0", program: nil)
    let greeting = try #require(BackgroundFrames.encoded(NumberedCommand(number: 1, command: hello)))
    return try (0..<count).map { _ in
      let handle = try connect()
      // The service may have ended it by now.
      send(handle.fileDescriptor, greeting, greeting.count, Int32(MSG_NOSIGNAL))
      return handle
    }
  }

  @Test func manyConnectionsAreLimited() async throws {
    let program = try await started()
    do {
      let others = try greeted(400)
      #expect(try await eventually { others.count { hasEnded($0) } >= 400 - 256 })
      program.tell("tasks")
      #expect(try await program.says("tasks"))
      #expect(others.contains { !hasEnded($0) })
    }
    // Their places are free again.
    let next = try fixture.program("next")
    next.tell("tasks")
    #expect(try await next.says("tasks", timeout: .seconds(60)), "\(next.lines)")
    for program in [program, next] { await program.kill() }
    await fixture.stop()
  }

  /// Resident bytes of a process (proc(5), `VmRSS`).
  private func residentBytes(of process: pid_t) throws -> Int {
    let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") })
    return try #require(line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }) * 1024
  }

  /// A message that claims to have so many bytes.
  private func message(claiming length: Int, _ content: [UInt8]) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: length >> $0) } + content
  }

  /// Sends a message, or what the service takes of it before it ends the connection.
  private func say(_ message: [UInt8], over handle: FileHandle) {
    var sent = 0
    while sent < message.count {
      let count = message.withUnsafeBytes { bytes in
        send(handle.fileDescriptor, bytes.baseAddress?.advanced(by: sent), bytes.count - sent, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return }
      sent += count
    }
  }

  @Test func hugeMessagesEndTheirConnectionsAndLeaveNothing() async throws {
    let program = try await started()
    let service = try #require(fixture.service)
    let limit = BackgroundFrames.limit
    let brackets = [UInt8](repeating: UInt8(ascii: "["), count: limit - 1)
    var random = SeededGenerator(seed: 30)
    // The beginning of a command in the compact form, whose lengths mean nothing.
    let compact = [CompactForm.version, 1] + Array(random.bytes(limit - 3))
    let messages = [
      message(claiming: limit + 1, brackets + brackets), message(claiming: 0xFFFF_FFFF, brackets + brackets),
      message(claiming: limit - 1, brackets), message(claiming: limit - 1, compact),
    ]
    func sayAll() async throws {
      for message in messages {
        // Who has greeted is ended for what it says, and not for its silence.
        let handle = try #require(try greeted(1).first)
        say(message, over: handle)
        #expect(try await isEnded(handle))
      }
    }
    // What the first of them need stays with the service.
    for _ in 0..<3 { try await sayAll() }
    let before = try residentBytes(of: service)
    for _ in 0..<20 { try await sayAll() }
    // It has taken 40 MiB in messages below the limit alone. Shadow memory grows as it likes.
    let growth = try residentBytes(of: service) - before
    if !Sanitizing.isOn { #expect(growth < 20 << 20) }
    let next = try fixture.program("next")
    next.tell("tasks")
    #expect(try await next.says("tasks", timeout: .seconds(60)), "\(next.lines)")
    #expect(fixture.service == service)
    for program in [program, next] { await program.kill() }
    await fixture.stop()
  }

  @Test func aDamagedQueueIsReplaced() async throws {
    let state = fixture.state
    try FileManager.default.createDirectory(at: state, withIntermediateDirectories: true)
    try TestFiles.pattern(count: 20_000, seed: 3).write(to: state.appending(path: "queue.sqlite"))
    let server = try OutlivingTests.slowServer(pause: 0)
    let program = try fixture.program("test", "download:\(server.url("/a"))")
    #expect(try await program.says("ended 1 0 200"), "\(program.lines)")
    #expect(FileManager.default.fileExists(atPath: state.appending(path: "queue.sqlite.damaged").path))
    await program.kill()
    await fixture.stop()
  }

  @Test func theFolderOfTheSocketMustBeTheUsersAlone() async throws {
    let folder = fixture.directory.file("run/url-loading").path
    mkdir(folder, 0o777)
    chmod(folder, 0o777)
    let program = try fixture.program("test", "download:http://127.0.0.1:9/")
    #expect(try await program.says("ended 1 -997", timeout: .seconds(60)), "\(program.lines)")
    #expect(program.lines.contains { $0.contains("mode 0700") }, "\(program.lines)")
    await program.kill()
    await fixture.stop()
  }
}
