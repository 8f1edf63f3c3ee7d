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
    var last = 0
    var acknowledged: [Int] = []
    for call in PreloadedDisk.calls(every: 19) {
      guard let count = try await Self.acknowledged(crashingAt: call, crash, disk, body) else { break }
      acknowledged.append(count)
      last = call
    }
    // Else nothing was tested.
    #expect(last >= 39 && acknowledged.contains(2), "\(acknowledged)")
    disk.remove()
  }

  /// Has the machine crash in front of a write.
  /// - Returns: how many tasks the service had acknowledged; nil where it does not come to that write.
  private static func acknowledged(
    crashingAt call: Int, _ crash: MachineCrash, _ disk: PreloadedDisk, _ body: Data
  ) async throws -> Int? {
    let transfers = try InterruptedTransfers(of: body, killedAt: call, pause: 3000)
    let fixture = transfers.fixture
    let (copies, boot) = (fixture.directory.file("copies"), fixture.directory.file("boot"))
    try FileManager.default.createDirectory(at: copies, withIntermediateDirectories: true)
    try Data("first\n".utf8).write(to: boot)
    let sign = fixture.directory.file("runs-again")
    // The program that is still there for a moment starts none.
    let service = try transfers.service(
      on: disk, variables: ["SYNCED_COPIES": copies.path, "BOOT_ID": boot.path], restartsWith: sign)
    // It writes the copies of files to upload.
    let worker = try ProgramStarter(
      "worker.sh", in: fixture.directory, program: BackgroundProgram.workerPath,
      variables: ["LD_PRELOAD": disk.library, "SYNCED_COPIES": copies.path])
    let first = try transfers.start(by: worker.path, service: service)
    #expect(
      try await eventually {
        transfers.wasKilled || first.all("ended").count == 2 && fixture.files.isEmpty
      }, "write \(call): \(first.lines)")
    let hasCrashed = transfers.wasKilled
    await first.kill()
    guard hasCrashed else {
      await transfers.stop()
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
    second.tell("make download:\(transfers.server.url("/again"))")
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
    await transfers.stop()
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
