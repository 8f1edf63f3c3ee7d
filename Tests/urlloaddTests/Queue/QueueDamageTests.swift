import Foundation
import Testing
import URLLoading
import URLLoadingSQLite
import URLLoadingTestServers

@testable import urlloadd

/// A queue's file with a page that is damaged: its other tasks stay.
@Suite struct QueueDamageTests {
  private let folder: TemporaryDirectory
  private let path: String

  init() throws {
    folder = try TemporaryDirectory("damage")
    path = folder.file("queue.sqlite").path
  }

  private func numbers(_ store: QueueStore) throws -> [Int] { try store.contents().jobs.map(\.number).sorted() }

  private let others = (1...DamagedQueue.count).filter { $0 != DamagedQueue.damaged }

  private var isPutAside: Bool { access(path + ".damaged", F_OK) == 0 }

  /// The page has the task's state: the damage is found when the service starts.
  @Test func aTaskThatCannotBeReadCostsNoOther() throws {
    let length = 2500
    try DamagedQueue(at: path, requestLength: length).damage()
    let store = try QueueStore(path: path)
    #expect(try numbers(store) == others)
    #expect(isPutAside)
    #expect(try store.contents().sessions[DamagedQueue.session]?.nextIdentifier == DamagedQueue.count + 1)
    for number in others {
      #expect(try store.stored(number)?.description.request == DamagedQueue.request(number, length: length))
    }
    // As the next service finds it.
    #expect(try numbers(QueueStore(path: path)) == others)
  }

  /// The page has a part of the request: the damage is found when the task begins.
  @Test func damageThatIsFoundLaterCostsNoOther() throws {
    let length = 20_000
    try DamagedQueue(at: path, requestLength: length).damage()
    let store = try QueueStore(path: path)
    let contents = try store.contents()
    #expect(contents.jobs.count == DamagedQueue.count && !isPutAside)
    #expect(throws: SQLiteError.self) { try store.stored(DamagedQueue.damaged) }
    let jobs = Dictionary(uniqueKeysWithValues: contents.jobs.map { ($0.number, $0) })
    var limits = JobQueue.Limits()
    limits.transfers = 3
    let lost = try store.replaceDamaged(sessions: contents.sessions, jobs: jobs, limits: limits)
    #expect(lost == [DamagedQueue.damaged])
    #expect(try numbers(store) == others && isPutAside)
    #expect(try store.limits() == limits)
    for number in others {
      #expect(try store.stored(number)?.description.request == DamagedQueue.request(number, length: length))
    }
  }

  /// Its outcome comes with the commit after it. A service that is killed between them leaves no task that its program hears nothing of.
  @Test func aTaskThatHasJustEndedIsLoadedAgainBehindAKill() throws {
    try DamagedQueue(at: path, requestLength: 20_000).damage()
    let store = try QueueStore(path: path)
    let contents = try store.contents()
    var jobs = Dictionary(uniqueKeysWithValues: contents.jobs.map { ($0.number, $0) })
    jobs[1]?.state.phase = .ended
    jobs[1]?.state.endOrder = 1
    _ = try store.replaceDamaged(sessions: contents.sessions, jobs: jobs, limits: nil)
    let next = try QueueStore(path: path).contents().jobs.first { $0.number == 1 }
    #expect(next?.state.phase == .waiting && next?.state.endOrder == nil)
  }
}
