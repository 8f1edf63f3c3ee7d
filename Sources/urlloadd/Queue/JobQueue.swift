import Foundation
import URLLoading

/// Decides which tasks are loaded when: a value that is fed what happens and a clock, without I/O.
///
/// Each method that changes a task adds its number to ``changed``, which the store takes, but for the start and the progress of a
/// transfer: a restart begins again what ran and what waited.
struct JobQueue {
  /// What all transfers of the user may use together.
  struct Limits: Codable, Equatable, Sendable {
    var transfers = 16
    var transfersPerHost = 6
    /// 0 for no limit.
    var bytesPerSecond: Int64 = 0
    /// Bytes of the disk that downloads leave free.
    var freeSpace = BackgroundFreeSpace.standard
  }

  /// What a failure comes to.
  enum Failure: Equatable { case triesAgain, ends }

  private(set) var jobs: [Int: Job] = [:]
  /// The numbers of tasks that were changed since this was emptied last.
  var changed: Set<Int> = []
  var limits = Limits()
  private var lastNumber = 0
  private var lastEnd = 0
  /// The tasks of each session, by the numbers that they have there.
  private var sessions: [String: [Int: Int]] = [:]
  /// How many tasks of each session have not ended; none is 0.
  private var unfinished: [String: Int] = [:]
  /// How many tasks of each session need its program; none is 0.
  private var asking: [String: Int] = [:]
  /// The tasks that may begin.
  private var ready = ReadyTasks()
  /// Those of them that the service has crashed by, perhaps.
  var suspects = ReadyTasks()
  private var running: [String: Int] = [:]
  /// The tasks that are running.
  private(set) var loading: Set<Int> = []
  var runningCount: Int { loading.count }
  /// The suspect that runs, alone.
  var trial: Trial?
  /// Tasks that have not ended whose requests may not use a network that costs by the byte.
  private(set) var avoidingMetered: Set<Int> = []
  private var delayed = DateQueue()
  /// Those of them that wait for the date that their program has named, by the wall's clock.
  private var dated: Set<Int> = []
  /// How many seconds that clock is ahead of the service's.
  private var wallClockShift = 0.0
  private var deadlines = DateQueue()

  // MARK: What there is

  func job(_ identifier: Int, of session: String) -> Job? { sessions[session]?[identifier].flatMap { jobs[$0] } }

  /// The numbers of a session's tasks, in the order in which they were made.
  func numbers(of session: String) -> [Int] { sessions[session]?.values.sorted() ?? [] }

  func hasTasks(_ session: String) -> Bool { sessions[session] != nil }

  func isLoading(tasksOf session: String) -> Bool { loading.contains { jobs[$0]?.session == session } }

  /// Whether a session has a task that has not ended.
  func hasUnfinished(_ session: String) -> Bool { unfinished[session] != nil }

  /// Whether a session has a task that needs its program.
  func hasAsking(_ session: String) -> Bool { asking[session] != nil }

  /// The numbers, in their session, of a session's tasks that have not ended; in no order.
  func unfinishedTasks(of session: String) -> [Int] {
    guard hasUnfinished(session) else { return [] }
    return (sessions[session] ?? [:]).compactMap { jobs[$0.value]?.state.phase == .ended ? nil : $0.key }
  }

  private mutating func finished(in session: String) {
    unfinished[session] = unfinished[session].flatMap { $0 > 1 ? $0 - 1 : nil }
  }

  private mutating func countAsking(_ change: Int, in session: String) {
    let count = (asking[session] ?? 0) + change
    asking[session] = count > 0 ? count : nil
  }

  /// Whether something is left to do without any program.
  var isIdle: Bool { jobs.values.allSatisfy { $0.state.phase == .ended || $0.state.phase == .idle } }

  // MARK: What happens

  /// Takes a task that was stored. One that was running begins again.
  mutating func restore(_ stored: Job) {
    var job = stored
    if job.state.phase == .running { job.state.phase = .waiting }
    lastNumber = max(lastNumber, job.number)
    lastEnd = max(lastEnd, job.state.endOrder ?? 0)
    jobs[job.number] = job
    sessions[job.session, default: [:]][job.identifier] = job.number
    if job.state.phase != .ended {
      unfinished[job.session, default: 0] += 1
      deadlines.set(job.deadline, for: job.number)
      if job.state.avoidsMetered { avoidingMetered.insert(job.number) }
    }
    if job.state.phase == .waiting { enqueue(job, now: .distantPast) }
    if job.state.phase == .asking { countAsking(1, in: job.session) }
  }

  /// Assigns only larger numbers from now on.
  mutating func skipNumbers(through number: Int) { lastNumber = max(lastNumber, number) }

  /// Adds a task, which waits to be resumed.
  mutating func add(
    session: String, _ task: BackgroundTaskDescription, origin: String, resourceTimeout: Double?
  ) -> Job {
    lastNumber += 1
    var job = Job(
      number: lastNumber, session: session, identifier: task.identifier, kind: task.kind, origin: origin,
      resourceTimeout: resourceTimeout)
    job.state.hints = task.hints
    jobs[job.number] = job
    sessions[session, default: [:]][task.identifier] = job.number
    unfinished[session, default: 0] += 1
    changed.insert(job.number)
    return job
  }

  mutating func resume(_ number: Int, now: Date) {
    change(number) { job in
      guard job.state.phase == .idle else { return }
      job.state.phase = .waiting
      if job.state.resumed == nil { job.state.resumed = now }
    }
    guard let job = jobs[number], job.state.phase == .waiting else { return }
    deadlines.set(job.deadline, for: number)
    enqueue(job, now: now)
  }

  /// - Returns: whether its transfer is to be stopped.
  mutating func suspend(_ number: Int) -> Bool {
    guard let job = jobs[number], job.state.phase != .ended else { return false }
    let wasRunning = leave(job)
    change(number) { $0.state.phase = .idle }
    return wasRunning
  }

  mutating func setHints(_ hints: BackgroundTaskHints, of number: Int, now: Date) {
    guard let job = jobs[number] else { return }
    unqueue(job)
    change(number) { $0.state.hints = hints }
    if let job = jobs[number], job.state.phase == .waiting { enqueue(job, now: now) }
  }

  /// Says whether the request of a task may use a network that costs by the byte.
  mutating func setAvoidsMetered(_ avoids: Bool, of number: Int) {
    guard let job = jobs[number], job.state.phase != .ended, avoids != job.state.avoidsMetered else { return }
    let wasReady = takeFromReady(job)
    change(number) { $0.state.avoidsMetered = avoids }
    if wasReady, let job = jobs[number] { makeReady(job) }
    if avoids { avoidingMetered.insert(number) } else { avoidingMetered.remove(number) }
  }

  /// Has the tasks that are due wait for a free place.
  mutating func admit(now: Date) {
    if let end = trial?.end, end <= now { trial = nil }
    while let due = delayed.takeDue(now) {
      dated.remove(due)
      if let job = jobs[due], job.state.phase == .waiting { makeReady(job) }
    }
  }

  /// Takes the tasks that may begin now, and counts them as running.
  /// - Parameters:
  ///   - blocked: sessions whose tasks may not, such as those that the network is too expensive for.
  ///   - costs: the network may cost by the byte, which keeps the tasks back whose requests spare that.
  ///   - discretionary: sessions whose tasks come after those of all others, whatever their priority.
  mutating func takeStartable(
    now: Date, excluding blocked: Set<String> = [], costs: Bool = false, discretionary: Set<String> = []
  ) -> [Job] {
    admit(now: now)
    var started: [Job] = []
    while runningCount < limits.transfers, trial == nil,
      let number = nextReady(excluding: blocked, costs: costs, discretionary), let job = jobs[number]
    {
      unqueue(job)
      running[job.origin, default: 0] += 1
      loading.insert(number)
      if job.state.crashes > 0 { trial = Trial(of: job, now: now) }
      // Not noted in `changed`.
      jobs[number]?.state.phase = .running
      jobs[number]?.state.nextTry = nil
      if let job = jobs[number] { started.append(job) }
    }
    return started
  }

  /// The transfer moves.
  mutating func progressed(_ number: Int, _ progress: BackgroundProgress) {
    // Not stored: what a restart needs is in the file.
    guard let before = jobs[number]?.state, before.phase == .running else { return }
    jobs[number]?.state.progress = progress
    if progress.moves(beyond: before.progress) { jobs[number]?.state.failures = 0 }
  }

  /// The transfer goes on where an earlier one has stopped: what that has moved is no progress of this one.
  mutating func continued(_ number: Int, at offset: Int64) {
    guard let job = jobs[number], job.state.phase == .running, job.state.progress.received < offset else { return }
    jobs[number]?.state.progress.received = offset
  }

  /// The transfer has stopped with an error.
  /// - Returns: whether it is tried again.
  mutating func failed(_ number: Int, _ error: BackgroundFailure, isTransient: Bool, now: Date) -> Failure {
    guard let job = jobs[number], job.state.phase == .running else { return .triesAgain }
    _ = leave(job)
    change(number) { job in
      job.state.lastFailure = error
      job.state.failures += 1
      job.state.phase = .waiting
      job.state.nextTry = now.addingTimeInterval(RetryPolicy.delay(afterFailures: job.state.failures))
    }
    guard isTransient else { return .ends }
    if let job = jobs[number] { enqueue(job, now: now) }
    return .triesAgain
  }

  /// The transfer was stopped, and is to begin again when it may.
  mutating func stopped(_ number: Int, until date: Date? = nil, now: Date) {
    guard let job = jobs[number], job.state.phase == .running else { return }
    _ = leave(job)
    change(number) { job in
      job.state.phase = .waiting
      job.state.nextTry = date
    }
    if let job = jobs[number] { enqueue(job, now: now) }
  }

  /// The program has to decide something.
  /// - Parameter reason: why, where that is to be shown.
  mutating func asks(_ number: Int, _ reason: BackgroundFailure? = nil) {
    guard let job = jobs[number], job.state.phase != .ended else { return }
    _ = leave(job)
    change(number) { job in
      job.state.phase = .asking
      if let reason { job.state.lastFailure = reason }
    }
  }

  /// The program is there, or has decided.
  mutating func proceed(_ number: Int, hasAsked: Bool, now: Date) {
    guard jobs[number]?.state.phase == .asking else { return }
    change(number) { job in
      job.state.phase = .waiting
      if hasAsked { job.state.hasAsked = true }
    }
    if let job = jobs[number] { enqueue(job, now: now) }
  }

  /// The task is over, and stays until its program knows.
  mutating func end(_ number: Int) {
    guard let job = jobs[number], job.state.phase != .ended else { return }
    _ = leave(job)
    finished(in: job.session)
    deadlines.set(nil, for: number)
    avoidingMetered.remove(number)
    lastEnd += 1
    let order = lastEnd
    change(number) { job in
      job.state.phase = .ended
      job.state.endOrder = order
    }
  }

  mutating func tookFile(_ number: Int) { change(number) { $0.state.tookFile = true } }

  mutating func remove(_ number: Int) {
    guard let job = jobs[number] else { return }
    _ = leave(job)
    if job.state.phase != .ended { finished(in: job.session) }
    if job.state.phase == .asking { countAsking(-1, in: job.session) }
    deadlines.set(nil, for: number)
    avoidingMetered.remove(number)
    jobs[number] = nil
    sessions[job.session]?[job.identifier] = nil
    if sessions[job.session]?.isEmpty == true { sessions[job.session] = nil }
    changed.insert(number)
  }

  /// What waits for another try is tried now: the network may have come, which helps no task that the service has crashed by.
  mutating func retryNow(_ number: Int? = nil, now: Date) {
    for candidate in number.map({ [$0] }) ?? delayed.numbers {
      guard let job = jobs[candidate], job.state.phase == .waiting, job.state.nextTry != nil,
        number != nil || job.state.crashes == 0
      else { continue }
      delayed.set(nil, for: candidate)
      dated.remove(candidate)
      change(candidate) { $0.state.nextTry = nil }
      if let job = jobs[candidate] { enqueue(job, now: now) }
    }
  }

  // MARK: Time

  /// A task whose resource timeout has passed.
  mutating func takeExpired(now: Date) -> Int? { deadlines.takeDue(now) }

  /// Whether a task waits for a date of the wall's clock.
  var waitsForDates: Bool { !dated.isEmpty }

  /// The wall's clock may have been set; the dates that programs have named are its.
  mutating func wallClockIs(ahead shift: Double, now: Date) {
    guard abs(shift - wallClockShift) > 1 else { return }
    wallClockShift = shift
    for number in dated {
      guard let job = jobs[number] else { continue }
      unqueue(job)
      enqueue(job, now: now)
    }
  }

  /// When something is due, other than what waits for a free place.
  mutating func nextDate() -> Date? {
    [delayed.next(), deadlines.next(), trial?.end].compactMap { $0 }.min()
  }

  // MARK: The order

  mutating func change(_ number: Int, _ body: (inout Job) -> Void) {
    guard var job = jobs[number] else { return }
    let wasAsking = job.state.phase == .asking
    body(&job)
    jobs[number] = job
    changed.insert(number)
    let isAsking = job.state.phase == .asking
    if isAsking != wasAsking { countAsking(isAsking ? 1 : -1, in: job.session) }
  }

  mutating func enqueue(_ job: Job, now: Date) {
    let begin = job.state.hints.earliestBegin?.addingTimeInterval(-wallClockShift)
    let date = [job.state.nextTry, begin].compactMap { $0 }.max()
    guard let date, date > now else {
      makeReady(job)
      return
    }
    delayed.set(date, for: job.number)
    if let begin, begin > now { dated.insert(job.number) }
  }

  private mutating func makeReady(_ job: Job) {
    if job.state.crashes > 0 { suspects.insert(job) } else { ready.insert(job) }
  }

  /// - Returns: whether it was there.
  @discardableResult
  private mutating func takeFromReady(_ job: Job) -> Bool {
    job.state.crashes > 0 ? suspects.remove(job) : ready.remove(job)
  }

  /// The first task in the order that has a free place.
  private func nextReady(excluding blocked: Set<String>, costs: Bool, _ discretionary: Set<String>) -> Int? {
    func first(_ ready: ReadyTasks, isDiscretionary: Bool) -> Int? {
      ready.first { group in
        running[group.origin] ?? 0 < limits.transfersPerHost && !blocked.contains(group.session)
          && !(costs && group.avoidsMetered) && discretionary.contains(group.session) == isDiscretionary
      }
    }
    func first(of ready: ReadyTasks) -> Int? {
      first(ready, isDiscretionary: false) ?? (discretionary.isEmpty ? nil : first(ready, isDiscretionary: true))
    }
    return first(of: ready) ?? (loading.isEmpty ? first(of: suspects) : nil)
  }

  mutating func unqueue(_ job: Job) {
    delayed.set(nil, for: job.number)
    dated.remove(job.number)
    takeFromReady(job)
  }

  /// - Returns: whether it was running.
  private mutating func leave(_ job: Job) -> Bool {
    unqueue(job)
    guard job.state.phase == .running else { return false }
    loading.remove(job.number)
    if trial?.number == job.number { trial = nil }
    running[job.origin] = running[job.origin].flatMap { $0 > 1 ? $0 - 1 : nil }
    return true
  }
}

extension BackgroundProgress {
  /// Whether a transfer has moved bytes, after the last report of it or of the one before. One that fails at once reports what an earlier
  /// one has moved, or nothing.
  fileprivate func moves(beyond last: BackgroundProgress) -> Bool {
    (received > 0 && received != last.received) || (sent > 0 && sent != last.sent)
  }
}
