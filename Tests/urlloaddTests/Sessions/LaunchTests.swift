import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

@testable import urlloadd

/// When programs are started, and when again.
@Suite struct LaunchTests {
  private let folder: TemporaryDirectory
  /// Of a session whose program cannot be started before ``makeProgram()``.
  private let description: BackgroundSessionDescription

  init() throws {
    folder = try TemporaryDirectory("launch")
    var description = BackgroundSessionDescription(identifier: "s", program: "/bin/true")
    description.launch = .executable(path: folder.file("program").path)
    self.description = description
  }

  private func makeProgram() throws {
    _ = try folder.writeScript("program", "echo started >>'\(folder.file("starts").path)'")
  }

  private var starts: Int {
    let text = try? String(contentsOf: folder.file("starts"), encoding: .utf8)
    return text?.split(separator: "\n").count ?? 0
  }

  /// Adds the task of a number, which is loaded then.
  private func add(_ identifier: Int, to service: TransferService) -> Int {
    var task = BackgroundTaskDescription(kind: .download, request: Data())
    task.identifier = identifier
    let number = service.queue.add(session: "s", task, origin: "http://a:", resourceTimeout: nil).number
    service.queue.resume(number, now: Date())
    _ = service.queue.takeStartable(now: Date())
    return number
  }

  private func service() throws -> TransferService {
    let service = try TransferService(in: folder)
    service.set(QueueStore.StoredSession(description: description), for: "s")
    return service
  }

  @Test func aStartWithoutEffectIsTriedAgainLaterEachTime() async throws {
    let service = try self.service()
    service.queue.end(add(1, to: service))
    service.considerLaunch(of: "s")
    let first = try #require(service.launcher.nextDate)
    var seconds: [Double] = []
    while let next = service.launcher.nextDate, seconds.count < 100 {
      service.launchPrograms(now: next.addingTimeInterval(-1))
      #expect(service.sessions["s"]?.launches == seconds.count && service.launcher.nextDate == next)
      seconds.append(next.timeIntervalSince(first).rounded())
      // The first two fail; of the others the service sees no effect.
      if seconds.count == 3 { try makeProgram() }
      service.launchPrograms(now: next)
    }
    #expect(seconds == [0, 60, 180, 420, 900, 1860])
    #expect(service.sessions["s"]?.launches == Launcher.attempts)
    #expect(try await eventually { starts == 4 }, "\(starts)")
    // Its tasks are as they were.
    service.considerLaunch(of: "s")
    #expect(service.launcher.nextDate == nil)
  }

  @Test func theProgramIsStartedWhenItsLastTaskIsDone() throws {
    let service = try self.service()
    let numbers = [add(1, to: service), add(2, to: service)]
    service.queue.end(numbers[0])
    service.considerLaunch(of: "s")
    #expect(service.launcher.nextDate == nil)
    service.queue.end(numbers[1])
    service.considerLaunch(of: "s")
    #expect(service.launcher.nextDate != nil)
  }

  @Test func theProgramIsStartedWhenATaskNeedsIt() throws {
    let service = try self.service()
    let numbers = [add(1, to: service), add(2, to: service)]
    service.asked(numbers[1], .delayedRequest) { _ in Issue.record("nobody is there to answer") }
    #expect(service.queue.jobs[numbers[1]]?.state.phase == .asking)
    #expect(service.launcher.nextDate != nil)
  }

  @Test func aProgramThatComesIsNotStarted() throws {
    let (peer, program) = try Peer.connected()
    defer { close(program) }
    peer.hasGreeted = true
    let service = try self.service()
    service.queue.end(add(1, to: service))
    service.considerLaunch(of: "s")
    let first = try #require(service.launcher.nextDate)
    service.launchPrograms(now: first)
    #expect(service.sessions["s"]?.launches == 1)
    service.take(.attach(session: description), 1, from: peer)
    #expect(service.launcher.nextDate == nil && service.sessions["s"]?.launches == 1)
    // It has gone without what came of its task: that is a reason to start it, at once.
    service.drop(peer)
    let again = try #require(service.launcher.nextDate)
    #expect(again.timeIntervalSince(first) < 60)
  }

  /// One that dies of what it is told.
  @Test func aProgramThatOnlyComesIsNotStartedForEver() throws {
    let service = try self.service()
    service.queue.end(add(1, to: service))
    service.considerLaunch(of: "s")
    var starts = 0
    while let next = service.launcher.nextDate, starts < 100 {
      service.launchPrograms(now: next)
      starts += 1
      try attach(to: service) { _ in }
    }
    #expect(starts == Launcher.attempts)
    // One that its user has started takes what there is, and may be started again for the next task.
    try attach(to: service) { service.take(.tookEnd(task: 1), 2, from: $0) }
    #expect(service.sessions["s"]?.launches == 0 && service.launcher.nextDate == nil)
    service.queue.end(add(2, to: service))
    service.considerLaunch(of: "s")
    #expect(service.launcher.nextDate != nil)
  }

  /// A program that runs, and that an earlier service has lost, comes first.
  @Test func noProgramIsStartedAsSoonAsTheServiceBegins() throws {
    let before = ServiceClock.shared.now
    let service = try self.service()
    service.queue.end(add(1, to: service))
    service.considerLaunch(of: "s")
    let first = try #require(service.launcher.nextDate)
    #expect(first >= before.addingTimeInterval(3))
    try attach(to: service) { _ in #expect(service.launcher.nextDate == nil) }
  }

  /// Nobody starts it, and it is there.
  @Test func aDelayedTaskWaitsForItsProgramThatIsToldOfItsTasks() throws {
    let service = try TransferService(in: folder)
    var description = description
    description.launch = nil
    service.set(QueueStore.StoredSession(description: description), for: "s")
    let number = add(1, to: service)
    let job = try #require(service.queue.jobs[number])
    #expect(!service.asksAboutDelayedRequest(job))
    let (peer, program) = try Peer.connected()
    defer { close(program) }
    peer.hasGreeted = true
    service.take(.attach(session: description), 1, from: peer)
    #expect(peer.telling.isListing)
    #expect(service.asksAboutDelayedRequest(job))
    #expect(service.queue.jobs[number]?.state.phase == .asking && service.questions.isEmpty)
  }

  /// Has the program come and go.
  private func attach(to service: TransferService, _ meanwhile: (Peer) -> Void) throws {
    let (peer, program) = try Peer.connected()
    defer { close(program) }
    peer.hasGreeted = true
    service.take(.attach(session: description), 1, from: peer)
    meanwhile(peer)
    service.drop(peer)
  }

  /// The next service neither starts it at once nor for ever.
  @Test(arguments: [(1, true), (Launcher.attempts, false)])
  func startsAreCountedOverServices(launches: Int, isStartedAgain: Bool) throws {
    let next = Date(timeIntervalSinceNow: 50)
    var job = Job(number: 1, session: "s", identifier: 1, kind: .download, origin: "o", resourceTimeout: nil)
    (job.state.phase, job.state.endOrder) = (.ended, 1)
    var changes = QueueChanges()
    var session = QueueStore.StoredSession(description: description, launches: launches, nextIdentifier: 2)
    session.nextLaunch = next
    changes.sessions["s"] = session
    changes.tasks = [1]
    changes.blobs[1] = QueueChanges.Blobs(
      description: BackgroundTaskDescription(kind: .download, request: Data()), outcome: .some(BackgroundOutcome()))
    try FileManager.default.createDirectory(at: folder.file("state"), withIntermediateDirectories: true)
    let stored = job
    try QueueStore(path: folder.file("state/queue.sqlite").path).write(changes) { _ in stored }
    let service = try TransferService(in: folder)
    let date = service.launcher.nextDate
    #expect((date != nil) == isStartedAgain, "\(String(describing: date))")
    if let date { #expect(abs(date.timeIntervalSince(next)) < 1) }
  }
}
