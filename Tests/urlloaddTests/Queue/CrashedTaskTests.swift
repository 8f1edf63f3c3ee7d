import Foundation
import Testing
import URLLoading

@testable import urlloadd

/// Which tasks the service has crashed by, and when they are loaded again.
@Suite struct CrashedTaskTests {
  private let start = Date(timeIntervalSince1970: 1_000_000)

  /// A queue after a restart, with tasks that wait.
  private func queue(_ count: Int, crashes: [Int: Int] = [:]) -> JobQueue {
    var queue = JobQueue()
    for number in 1...count {
      var job = Job(number: number, session: "s", identifier: number, kind: .download, origin: "o\(number)")
      job.state.phase = .waiting
      job.state.crashes = crashes[number] ?? 0
      queue.restore(job)
    }
    return queue
  }

  private func begun(_ queue: inout JobQueue, after seconds: Double) -> [Int] {
    queue.takeStartable(now: start.addingTimeInterval(seconds)).map(\.number)
  }

  @Test func oneThatWasAloneWaitsAndEndsWithTheSecond() {
    var queue = queue(1)
    let first = queue.crashed(loading: [1], now: start)
    #expect(first == nil)
    #expect(queue.jobs[1]?.state.crashes == 1 && queue.changed == [1])
    #expect(queue.jobs[1]?.state.lastFailure?.code == URLError.Code.backgroundSessionWasDisconnected.rawValue)
    #expect(begun(&queue, after: 9).isEmpty)
    #expect(queue.nextDate() == start.addingTimeInterval(10))
    #expect(begun(&queue, after: 10) == [1])
    var restarted = self.queue(1, crashes: [1: 1])
    let second = restarted.crashed(loading: [1], now: start)
    #expect(second == 1)
  }

  /// Of several nobody knows which: each runs alone, after all that are above suspicion.
  @Test func suspectsRunAloneAndLast() {
    var queue = queue(4)
    let certain = queue.crashed(loading: [1, 2], now: start)
    #expect(certain == nil)
    #expect(begun(&queue, after: 20) == [3, 4])
    #expect(begun(&queue, after: 20).isEmpty)
    queue.end(3)
    #expect(begun(&queue, after: 21).isEmpty)
    queue.end(4)
    #expect(begun(&queue, after: 22) == [1])
    #expect(queue.loading == [1] && begun(&queue, after: 23).isEmpty)
    queue.end(1)
    #expect(begun(&queue, after: 24) == [2])
  }

  /// A long one holds up the others for a while only, and the loop waits for no date that has passed.
  @Test func aTrialEnds() {
    var queue = queue(3)
    _ = queue.crashed(loading: [1, 2], now: start)
    queue.end(3)
    #expect(begun(&queue, after: 20) == [1])
    queue.restore(Job(number: 9, session: "s", identifier: 9, kind: .download, origin: "o9"))
    queue.resume(9, now: start.addingTimeInterval(30))
    #expect(begun(&queue, after: 49).isEmpty)
    #expect(queue.nextDate() == start.addingTimeInterval(50))
    #expect(begun(&queue, after: 50) == [9])
    #expect(queue.nextDate() == nil)
  }

  /// A crash with several says nothing of any of them, however often; from then on a suspect is alone to its end.
  @Test func nobodyIsConvictedForAnother() {
    var queue = queue(2, crashes: [1: 1])
    let certain = queue.crashed(loading: [1, 2], now: start)
    #expect(certain == nil)
    #expect(queue.jobs[1]?.state.crashes == 2 && queue.jobs[2]?.state.crashes == 1)
    #expect(begun(&queue, after: 20) == [1])
    #expect(begun(&queue, after: 20_000).isEmpty)
    queue.end(1)
    #expect(begun(&queue, after: 20_000) == [2])
    #expect(begun(&queue, after: 20_031).isEmpty && queue.trial == nil)
  }

  /// The network's return is no reason to crash once more; a user's word is.
  @Test func onlyItsUserHasItTriedAtOnce() {
    var queue = queue(1)
    _ = queue.crashed(loading: [1], now: start)
    queue.retryNow(now: start)
    #expect(begun(&queue, after: 1).isEmpty)
    queue.retryNow(1, now: start)
    #expect(begun(&queue, after: 1) == [1])
  }

  @Test func tasksThatAreGoneOrOverAreNoMatter() {
    var queue = queue(2)
    queue.end(2)
    queue.changed = []
    let certain = queue.crashed(loading: [2, 7], now: start)
    #expect(certain == nil && queue.changed.isEmpty && queue.jobs[2]?.state.crashes == 0)
  }

  @Test func theCountIsKept() throws {
    var state = Job.State()
    let before = state.compactData
    #expect(Job.State(compact: before) == state)
    state.crashes = 2
    #expect(Job.State(compact: state.compactData) == state)
    // As an earlier version has written it.
    #expect(before.count < state.compactData.count)
    #expect(Job.State(compact: state.compactData.dropLast()) == nil)
  }

  @Test func recordsAreReadAsFarAsTheyGo() {
    func crashes(_ numbers: [Int64], dropping count: Int = 0) -> [CrashRecord.Crash] {
      CrashRecord.crashes(in: numbers.withUnsafeBytes { [UInt8]($0) }.dropLast(count))
    }
    let (first, second) = (CrashRecord.Crash(signal: 11, tasks: [4, 5]), CrashRecord.Crash(signal: 6, tasks: []))
    #expect(crashes([11, 2, 4, 5, 6, 0]) == [first, second])
    #expect(crashes([11, 2, 4, 5, 6], dropping: 3) == [first])
    #expect(
      crashes([11, 2, 4]) == [] && crashes([11, -1]) == [] && crashes([11, .max, 1]) == [] && crashes([]) == [])
  }
}
