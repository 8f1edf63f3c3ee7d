import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// A list goes out in pieces that the program acknowledges, whatever becomes of either side between two of them.
@Suite(.timeLimit(.minutes(10))) struct ListPieceTests {
  private let fixture: BackgroundFixture

  init() throws { fixture = try BackgroundFixture() }

  private func startService() async throws -> ChildProcess {
    let log = fixture.directory.file("service.log")
    let service = try ChildProcess(
      BuiltProgram.path("urlloadd"), ["--idle-seconds", "0"], environment: fixture.environment, output: log, error: log)
    _ = try await fixture.control()
    return service
  }

  @Test func aProgramGetsNoMoreThanItTakes() async throws {
    try fixture.storeEnded(1...400) { _ in 20_000 }
    let service = try await startService()
    let reader = try ListReader(fixture)
    var (ends, pieces): (Set<Int>, [Int]) = ([], [])
    func note(_ report: BackgroundReport) {
      if case .event(let task, .ended) = report { ends.insert(task) }
      if case .piece(let number) = report { pieces.append(number) }
    }
    // All else goes over the connection meanwhile.
    for _ in 0..<20 {
      let command = reader.send(.limits(BackgroundLimits()))
      let isAnswered = reader.read { report in
        note(report)
        return if case .limits(command, _) = report { true } else { false }
      }
      #expect(isAnswered)
    }
    #expect(pieces == [1, 2] && ends.count < 40, "\(pieces) \(ends.count)")
    pieces.forEach { reader.send(.tookPiece(number: $0)) }
    // An acknowledgement of what was not sent counts for nothing.
    reader.send(.tookPiece(number: 1000))
    let isDone = reader.read { report in
      note(report)
      if case .piece(let number) = report { reader.send(.tookPiece(number: number)) }
      return if case .caughtUp = report { true } else { false }
    }
    #expect(isDone && ends == Set(1...400) && pieces.count >= 50, "\(pieces.count) \(ends.count)")
    await service.stop()
    await fixture.stop()
  }

  /// It knows of no pieces.
  @Test func aProgramOfAnEarlierVersionGetsTheWholeList() async throws {
    try fixture.storeEnded(1...400) { _ in 20_000 }
    let service = try await startService()
    let reader = try ListReader(fixture, version: 1)
    var ends: Set<Int> = []
    let isDone = reader.read { report in
      if case .event(let task, .ended) = report { ends.insert(task) }
      if case .piece = report { Issue.record("a piece") }
      return if case .caughtUp = report { true } else { false }
    }
    #expect(isDone && ends == Set(1...400), "\(ends.count)")
    await service.stop()
    await fixture.stop()
  }

  /// The program is killed after each report of the list, and at every other time the service as well.
  @Test func aKillAtAnyStepLosesNothingAndRepeatsNothing() async throws {
    try fixture.storeEnded(1...16) { _ in 30_000 }
    try fixture.storeWaiting(17...32, body: 30_000)
    var service = try await startService()
    var taken: Set<Int> = []
    var isThrough = false
    var step = 0
    while !isThrough, step < 200 {
      let reader = try ListReader(fixture)
      var (left, told): (Int, Set<Int>) = (step, [])
      while left > 0, !isThrough, let report = reader.socket.receive() {
        left -= 1
        switch report {
        case .piece(let number): reader.send(.tookPiece(number: number))
        case .task(let task, _): told.insert(task.identifier)
        case .attached(let next): #expect(next == 33 && told == Set(1...32).subtracting(taken), "step \(step)")
        case .caughtUp: isThrough = true
        case .event(let task, .ended(let outcome)):
          #expect(!taken.contains(task) && outcome.error == nil, "step \(step): \(task)")
          // Every other one is left to the next program, which hears of it again.
          if task.isMultiple(of: 2) || step > 80 {
            #expect(reader.take(task), "step \(step): \(task)")
            taken.insert(task)
          }
        default: break
        }
      }
      reader.socket.end()
      if step.isMultiple(of: 2) {
        service.send(signal: SIGKILL)
        _ = await service.waitForExit()
        service = try await startService()
      }
      step += 1
    }
    #expect(isThrough && step > 33, "\(step)")
    // What is left is heard of by a real program, and nothing else.
    let program = try fixture.program()
    #expect(try await program.says("finished-events"), "\(program.lines)")
    #expect(Set(KilledRun(program.lines).ends) == Set(1...16).subtracting(taken), "\(taken) \(program.lines)")
    program.tell("tasks")
    #expect(try await program.says("tasks"))
    await program.kill()
    await service.stop()
    await fixture.stop()
  }
}

extension ListReader {
  /// Says that an end is taken, and waits until that is on the disk. Pieces are acknowledged meanwhile.
  func take(_ task: Int) -> Bool {
    let command = send(.tookEnd(task: task))
    return read { report in
      if case .piece(let number) = report { send(.tookPiece(number: number)) }
      return if case .done(command) = report { true } else { false }
    }
  }
}
