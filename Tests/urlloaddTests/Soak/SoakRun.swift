import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// A transfer in the background and its faults, up to the comparison of its bytes.
///
/// A fault meets the transfer in its middle on any machine: the gate before the server holds the bytes back until then.
final class SoakRun {
  private static let uploadSeed: UInt64 = 2

  private let given: SoakCase
  private let fixture: BackgroundFixture
  private let server: SoakServer
  /// The file of an upload, until the program has made the task.
  private let source: URL
  /// In their order; one at a time runs.
  private var programs: [BackgroundProgram] = []
  private var random: SeededGenerator

  /// - Parameter fixture: whose service outlives the limit on the size of its files.
  init(_ given: SoakCase, in fixture: BackgroundFixture) async throws {
    self.given = given
    self.fixture = fixture
    server = try await SoakServer.start(given, for: fixture)
    source = fixture.directory.file("source")
    random = SeededGenerator(seed: UInt64(SoakSettings.kills))
    if given.isUpload { try TestFiles.write(count: given.size, seed: Self.uploadSeed, to: source) }
  }

  /// What the worker is told to do.
  private var task: String {
    guard given.isUpload else { return "download:\(server.address)" }
    return "\(given.scheme == .http ? "put" : "upload"):\(source.path),\(server.address)"
  }

  func run() async throws {
    switch given.fault {
    case .programExits: try await exitProgram()
    case .programKilled: try await killPrograms()
    case .serviceKilled: try await killServices()
    case .serverGone: try await removeServer()
    case .diskFull: try await fillDisk()
    }
    try await check()
    for program in programs { await program.kill() }
    await fixture.stop()
    await server.stop()
  }

  // MARK: Faults

  private func exitProgram() async throws {
    server.gate.allow(0)
    try await fixture.leave("test", task)
    if given.isUpload { try FileManager.default.removeItem(at: source) }
    server.gate.allow(nil)
    #expect(try await comes { self.jobs?.contains { $0.hasEnded } == true }, "\(jobs ?? [])")
    let program = try comeBack()
    #expect(try await says("finished-events", program), "\(program.lines)")
  }

  private func killPrograms() async throws {
    var program = try await begin(allowing: 0)
    for round in 0..<SoakSettings.kills {
      try await pass(round)
      await program.kill()
      program = try comeBack()
      #expect(try await says("has 1 ", program), "round \(round): \(program.lines)")
    }
    server.gate.allow(nil)
  }

  private func killServices() async throws {
    let program = try await begin(allowing: 0)
    var last: pid_t?
    for round in 0..<SoakSettings.kills {
      let isThere = try await eventually { fixture.service.map { $0 != last } == true }
      #expect(isThere, "round \(round): \(program.lines.suffix(20))")
      try await pass(round)
      last = fixture.service
      let count = server.gate.connectionCount
      try await fixture.killService()
      // What it has sent and no server has got is of no use to the next one.
      server.gate.dropConnections(upTo: count)
    }
    server.gate.allow(nil)
  }

  private func removeServer() async throws {
    let program = try await begin(allowing: given.size / 2)
    #expect(await server.gate.wait(untilPassed: given.size / 2), "\(program.lines)")
    try await server.gate.close()
    try await failures(of: program)
    server.gate.allow(nil)
    try server.gate.open()
  }

  private func fillDisk() async throws {
    let program = try await begin(allowing: given.size / 4)
    #expect(await server.gate.wait(untilPassed: given.size / 4), "\(program.lines)")
    // A limit on the size of files stands for a disk without room: writes fail in the middle of a piece.
    try await limitFiles(to: String(given.size / 2))
    server.gate.allow(nil)
    try await failures(of: program)
    try await limitFiles(to: "unlimited")
  }

  /// Sets the service's soft limit on the size of files, in bytes.
  private func limitFiles(to limit: String) async throws {
    let service = try #require(fixture.service)
    try await Command.check("prlimit", ["--pid", String(service), "--fsize=\(limit):"])
  }

  // MARK: Steps

  /// Starts the program that makes the task.
  /// - Parameter count: how many bytes may pass.
  private func begin(allowing count: Int) async throws -> BackgroundProgram {
    server.gate.allow(count)
    let program = try fixture.program("test", task)
    programs.append(program)
    #expect(try await says("resumed 1", program), "\(program.lines)")
    return program
  }

  /// Starts a program that has no task to make.
  private func comeBack() throws -> BackgroundProgram {
    let program = try fixture.program("test")
    programs.append(program)
    return program
  }

  /// Lets a share of the bytes pass, the last of which is for the end, and waits for a moment within.
  private func pass(_ round: Int) async throws {
    let share = given.size / (SoakSettings.kills + 1)
    let start = server.gate.passedCount
    server.gate.allow(share)
    if round % 2 == 0 {
      let count = start + Int.random(in: 1...share, using: &random)
      let hasPassed = await server.gate.wait(untilPassed: count)
      #expect(hasPassed, "round \(round): \(server.gate.passedCount) of \(count): \(jobs ?? [])")
    } else {
      // It may be one at which nothing passes yet.
      try await Task.sleep(for: .milliseconds(Int.random(in: 0..<400, using: &random)))
    }
  }

  /// Waits until a transfer has failed, and its second attempt as well, which is no end either.
  private func failures(of program: BackgroundProgram) async throws {
    var tries: Set<Date> = []
    let haveFailed = try await comes {
      if let job = self.jobs?.first, !job.hasEnded, job.failure != nil, let next = job.nextTry { tries.insert(next) }
      return tries.count > 1
    }
    #expect(haveFailed, "\(jobs ?? []) \(program.lines.suffix(20))")
    try await Task.sleep(for: SoakSettings.absence)
    #expect(program.all("ended").isEmpty, "\(program.lines.suffix(20))")
  }

  /// What is in the service's queue; nil where no service answers.
  private var jobs: [BackgroundJob]? { try? BackgroundControl(at: fixture.place).jobs() }

  private func says(_ beginning: String, _ program: BackgroundProgram) async throws -> Bool {
    try await comes { program.lines.contains { $0.hasPrefix(beginning) } }
  }

  private func comes(_ condition: () -> Bool) async throws -> Bool {
    try await eventually(timeout: SoakSettings.limit, interval: SoakSettings.interval) { condition() }
  }

  // MARK: The end

  /// The last program hears of the end, no other has, and the bytes are those that were sent.
  private func check() async throws {
    let program = try #require(programs.last)
    let jobs = jobs ?? []
    #expect(try await says("ended 1", program), "\(jobs) \(program.lines.suffix(20))")
    // The service knows that the method has returned that got it, and has nothing of the task any more.
    #expect(try await comes { self.jobs?.isEmpty == true }, "\(jobs)")
    // What a killed service leaves of a task that its queue does not name goes when the next one starts.
    #expect(try await comes { self.fixture.files.isEmpty }, "\(fixture.files)")
    let lines = programs.flatMap(\.lines)
    let ends = lines.filter { $0.hasPrefix("ended ") }
    #expect(ends.count == 1 && ends.first?.hasPrefix("ended 1 0 ") == true, "\(ends)")
    #expect(lines.filter { $0.hasPrefix("file ") } == (given.isUpload ? [] : ["file 1"]))
    let (file, seed) =
      given.isUpload
      ? (server.stored, Self.uploadSeed) : (fixture.taken.appending(path: "1"), SoakServer.downloadSeed)
    #expect(try TestFiles.firstDifference(in: file, count: given.size, seed: seed) == nil)
  }
}
