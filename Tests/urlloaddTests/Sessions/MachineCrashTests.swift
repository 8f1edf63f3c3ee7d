import Foundation
import Testing
import URLLoadingTestServers

/// The machine stops in front of a write of the service: tasks that were acknowledged are there when it runs again, and are loaded whole.
///
/// `make kill-at-write` goes through all of the writes, `make test` through a few.
@Suite(.timeLimit(.minutes(30)), .enabled(if: !Sanitizing.isOn)) struct MachineCrashTests {
  /// Long enough for a download to be resumed.
  private static let size = 1_200_000

  @Test(arguments: MachineCrash.allCases) func whatWasAcknowledgedIsThere(_ crash: MachineCrash) async throws {
    let disk = try await PreloadedDisk()
    let body = TestFiles.pattern(count: Self.size, seed: 33)
    var call = 1
    var acknowledged: [Int] = []
    while let count = try await Self.acknowledged(crashingAt: call, crash, disk, body) {
      acknowledged.append(count)
      call += PreloadedDisk.coversAll ? 1 : 19
    }
    // Else nothing was tested.
    #expect(acknowledged.count >= 3 && acknowledged.contains(2), "\(acknowledged)")
    disk.remove()
  }

  /// Has the machine crash in front of a write.
  /// - Returns: how many tasks the service had acknowledged; nil where it does not come to that write.
  private static func acknowledged(
    crashingAt call: Int, _ crash: MachineCrash, _ disk: PreloadedDisk, _ body: Data
  ) async throws -> Int? {
    let fixture = try BackgroundFixture()
    let (copies, boot) = (fixture.directory.file("copies"), fixture.directory.file("boot"))
    try FileManager.default.createDirectory(at: copies, withIntermediateDirectories: true)
    try Data("first\n".utf8).write(to: boot)
    let (mark, sign) = (fixture.directory.file("crashed").path, fixture.directory.file("runs-again"))
    // The program that is still there for a moment starts none.
    let service = try disk.service(
      "urlloadd-\(call)",
      variables: ["KILL_AT": "\(call)", "KILL_MARK": mark, "SYNCED_COPIES": copies.path, "BOOT_ID": boot.path],
      preparation: "[ -e '\(mark)' ] && [ ! -e '\(sign.path)' ] && exit 1")
    let server = try OutlivingTests.slowServer(body, pause: 3000)
    let uploads = try ScriptedServer.http { request in
      request.body == body ? HTTPResponse(text: "ok") : HTTPResponse(400, text: "not whole")
    }
    let source = fixture.directory.file("source")
    try body.write(to: source)
    // It writes the copies of files to upload.
    let first = try fixture.program(
      "test", "download:\(server.url("/a"))", "upload:\(source.path),\(uploads.url("/b"))",
      environment: ["URLLOADD": service, "LD_PRELOAD": disk.library, "SYNCED_COPIES": copies.path])
    #expect(
      try await eventually {
        access(mark, F_OK) == 0 || first.all("ended").count == 2 && fixture.files.isEmpty
      }, "write \(call): \(first.lines)")
    let hasCrashed = access(mark, F_OK) == 0
    await first.kill()
    guard hasCrashed else {
      await fixture.stop()
      return nil
    }
    let lines = first.lines
    try await whileNoServiceRuns(fixture) {
      try crash.befall(fixture.state, copies: copies)
      try Data("second\n".utf8).write(to: boot)
    }
    try Data().write(to: sign)

    let second = try fixture.program(environment: ["URLLOADD": service])
    let acknowledged = Set(first.all("resumed").compactMap { Int($0) })
    for number in acknowledged.subtracting(KilledRun(lines).ends).sorted() {
      #expect(
        try await second.says("ended \(number) 0 20", timeout: .seconds(60)),
        "write \(call): \(lines), then \(second.lines)")
    }
    // It is a service like any other.
    second.tell("make download:\(server.url("/again"))")
    #expect(try await second.says("resumed", timeout: .seconds(60)), "write \(call): \(second.lines)")
    let again = try #require(second.all("resumed").first.flatMap { Int($0) }, "write \(call): \(second.lines)")
    #expect(
      try await second.says("ended \(again) 0 20", timeout: .seconds(60)),
      "write \(call): \(lines), then \(second.lines)")
    for line in first.all("ended") + second.all("ended") {
      #expect(line.contains(" 0 20"), "write \(call): \(lines), then \(second.lines)")
    }
    for number in Set([again]).union(acknowledged.intersection([1])) {
      let file = fixture.taken.appending(path: "\(number)")
      #expect(
        try TestFiles.firstDifference(in: file, count: size, seed: 33) == nil,
        "write \(call), \(number): \(lines), then \(second.lines)")
    }
    await second.kill()
    await fixture.stop()
    return acknowledged.count
  }

  /// Kills services until there is none, whichever was just being started, and does something before there is one.
  private static func whileNoServiceRuns(_ fixture: BackgroundFixture, _ body: () throws -> Void) async throws {
    let lock = open(fixture.state.appending(path: "lock").path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    try #require(lock >= 0)
    defer { close(lock) }
    #expect(
      try await eventually {
        try await fixture.killService()
        return flock(lock, LOCK_EX | LOCK_NB) == 0
      })
    try body()
  }
}
