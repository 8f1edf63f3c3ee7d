import Foundation
import URLLoading
internal import URLLoadingBase
internal import URLLoadingSQLite

/// The transfer service: takes commands of programs, has the queue decide, and the transfers load.
///
/// Everything in it is touched by one thread alone, which ``run()`` is called on. Each turn of it takes what has come, decides, commits
/// what was changed, and only then begins transfers and answers.
final class TransferService {
  /// What the service goes by.
  struct Options: Sendable {
    /// The folder of the queue and of the files.
    var state: String
    /// How long it stays with nothing to do; nil for ever.
    var idleTime: Duration?
    /// Tasks of all programs.
    var mostTasks: Int
    /// What became of the user's plugins, for the errors of tasks whose schemes nobody loads.
    var plugins = PluginReport()
    /// Whether a service that started now would load others.
    var hasNewPlugins: @Sendable () -> Bool = { false }
    /// Determines the cost of the network, which may take a few seconds.
    var networkCost: @Sendable () -> NetworkCost = { .current() }
    /// Seconds between two checks of that, while a session depends on it.
    var costInterval = NetworkCost.interval
    /// What the service's own process says, for programs that say nothing; nil where it is looked up when it is needed.
    var environment: LoadEnvironment?
    /// The limit of descriptors of programs that the service starts; nil for its own.
    var usualDescriptorLimit: UInt64?
    /// What earlier services have crashed by, and nobody has drawn a conclusion from.
    var crashes: [CrashRecord.Crash] = []
    /// Records the tasks that are loaded, for the record of a crash.
    var recordsLoading: @Sendable (Set<Int>) -> Void = { _ in }
  }

  /// A question that a program has been asked.
  struct Question {
    let number: Int
    let content: BackgroundQuestion
    let answer: (BackgroundAnswer) -> Void
  }

  let options: Options
  let files: String
  let loop = ServiceLoop()
  var queue = JobQueue()
  var sessions: [String: QueueStore.StoredSession] = [:]
  var changes = QueueChanges()
  let store: QueueStore
  private var listener: Listener?
  private var socketWatch = SocketWatch(now: .now)
  private(set) var peers: [Int32: Peer] = [:]
  /// The programs that are attached, by their sessions.
  var attached: [String: Peer] = [:]
  var transfers: [TransferKey: TransferSession] = [:]
  var questions: [Int: Question] = [:]
  /// Not 0 at the start: an answer to a question of an earlier service is not one to a question of this one.
  var lastQuestion = Int.random(in: 0..<1 << 40)
  var rate = RateLimit()
  var launcher = Launcher()
  /// Before this no program is started: one that runs connects again first.
  let firstLaunch = ServiceClock.shared.now.addingTimeInterval(3)
  /// What the network costs; nil before somebody has said it.
  var networkCost: NetworkCost?
  var nextCostLook = Date.distantPast
  /// Tasks whose transfers are being stopped.
  var stopping: Set<Int> = []
  /// The names of files that programs were given.
  var handed: HandedFiles
  /// What a crash would be laid to.
  var noted: Set<Int> = []
  /// Tasks whose end nobody was told of yet.
  var endedJobs: [Int] = []
  private var idleSince: MonotonicInstant? = .now
  private var shutdown: Shutdown?
  private var retriesCommit = false

  /// How the service ends: at once, or when its transfers have ended, by a deadline.
  private enum Shutdown { case now, by(MonotonicInstant) }

  init(_ options: Options, listener: Listener) throws {
    self.options = options
    files = "\(options.state)/files"
    self.listener = listener
    try FileManager.default.createDirectory(
      atPath: files, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    BackgroundNumbers.prepare(in: options.state)
    store = try QueueStore(path: "\(options.state)/queue.sqlite")
    let stored = try store.contents()
    let wanted = Set(stored.jobs.map(\.number))
    handed = HandedFiles(in: files) { wanted.contains($0) }
    sessions = stored.sessions.mapValues { session in
      var session = session.clamped(to: ServiceClock.shared.now)
      // An earlier version has none, and goes by the description.
      if session.environments.isEmpty {
        session.environments = TaskEnvironments(TaskEnvironment(session.description))
      }
      return session
    }
    for (identifier, session) in stored.sessions {
      // The row of an earlier version has the password of its proxy.
      guard let proxies = session.description.proxies, LoadEnvironment.withoutPasswords(proxies) != proxies,
        let own = sessions[identifier]
      else { continue }
      set(own, for: identifier)
      changes.erases = true
    }
    for job in stored.jobs { queue.restore(job.clamped(to: ServiceClock.shared.now)) }
    let ended = options.crashes.compactMap { crash in
      queue.crashed(loading: crash.tasks, now: ServiceClock.shared.now).map { ($0, crash) }
    }
    apply(readStore { try $0.limits() } ?? queue.limits)
    retryTasksWithoutClass()
    forgetOldSessions()
    do { try store.finishRemovals() } catch let error as SQLiteError where error.saysDamaged {
      guard replaceStore() else { throw error }
    }
    if let named = readStore({ try $0.fileNames() }) {
      FileCleanup.run(in: files, keeping: named.union(handed.all), tasks: Set(queue.jobs.keys))
    }
    // Resume data of a program may name the file of a task that no longer exists: no other task gets its number.
    queue.skipNumbers(through: FileCleanup.largestNumber(in: files))
    // Programs of older versions, and a crash of the machine, may have left them behind the queue.
    BackgroundNumbers.complete(in: options.state, sessions.mapValues(\.nextIdentifier))
    watchNetwork()
    for (number, crash) in ended { endTask(number, by: crash) }
    for identifier in sessions.keys { considerLaunch(of: identifier) }
  }

  /// Runs until there has been nothing to do for a while, or somebody ends it.
  func run() {
    // Stored tasks may be due: nothing else wakes the loop for them.
    proceed()
    while true {
      turn()
      if hasToEnd { break }
    }
    // Transfers end with the process, as they would by a kill: what ends them by a call removes their files.
    for peer in peers.values { peer.flush() }
  }

  private func turn() {
    var descriptors = [pollfd(fd: loop.wakeDescriptor, events: Int16(POLLIN), revents: 0)]
    if let listener, !listener.isResting {
      descriptors.append(pollfd(fd: listener.descriptor, events: Int16(POLLIN), revents: 0))
    }
    for peer in peers.values {
      descriptors.append(
        pollfd(fd: peer.descriptor, events: Int16(POLLIN | (peer.wantsToSend ? POLLOUT : 0)), revents: 0))
    }
    poll(&descriptors, nfds_t(descriptors.count), millisecondsToWait)
    if let listener { while let peer = listener.accept(connected: peers.count) { peers[peer.descriptor] = peer } }
    for work in loop.take() { work.run(self) }
    for descriptor in descriptors where descriptor.revents != 0 {
      if let peer = peers[descriptor.fd] { read(peer) }
    }
    proceed()
  }

  /// Does what is due, commits it, and says so.
  private func proceed() {
    processTimers()
    commit()
    // Behind the commit as well: a program hears of what is on the disk.
    tellPrograms()
    // Behind the commit: no request is sent for a task that cannot be stored.
    startTransfers(now: ServiceClock.shared.now)
    recordLoading()
    for peer in peers.values { peer.flush() }
  }

  // MARK: Programs

  private func read(_ peer: Peer) {
    guard let commands = peer.receive() else { return drop(peer) }
    for command in commands {
      guard !peer.isClosed else { return drop(peer) }
      take(command.command, command.number, from: peer)
    }
  }

  func drop(_ peer: Peer) {
    peers[peer.descriptor] = nil
    listener?.wake()
    guard let session = peer.session, attached[session] === peer else { return }
    attached[session] = nil
    detached(session)
  }

  // MARK: Time

  private var millisecondsToWait: Int32 {
    let now = ServiceClock.shared.now
    // What was changed after the commit, as of tasks that could not begin, is committed at once; after a failed commit, in a second.
    if hasUncommittedChanges, !retriesCommit { return 0 }
    // The socket has taken what was told of a list, and there is more.
    if peers.values.contains(where: \.takesList) { return 0 }
    var dates = [queue.nextDate(), launcher.nextDate, rate.heldUntil, costLookDate].compactMap { $0 }
    if retriesCommit || shutdown != nil { dates.append(now.addingTimeInterval(1)) }
    if options.idleTime != nil { dates.append(now.addingTimeInterval(5)) }
    if listener != nil {
      dates.append(now.addingTimeInterval(MonotonicInstant.now.seconds(to: socketWatch.nextLook)))
    }
    // Nothing wakes the loop when the wall's clock is set.
    if queue.waitsForDates { dates.append(now.addingTimeInterval(60)) }
    if peers.values.contains(where: { !$0.hasGreeted }) || listener?.isResting == true {
      dates.append(now.addingTimeInterval(1))
    }
    guard let next = dates.min() else { return -1 }
    // A program may name any date, and a number may be too large for an integer.
    return Int32((min(86_400, max(0, next.timeIntervalSince(now))) * 1000).rounded(.up))
  }

  private func processTimers() {
    let now = ServiceClock.shared.now
    let instant = MonotonicInstant.now
    for peer in peers.values where peer.isSilent(at: instant) { drop(peer) }
    lookAtSocket(at: instant)
    queue.wallClockIs(ahead: ServiceClock.shared.shift, now: now)
    while let expired = queue.takeExpired(now: now) { expire(expired) }
    if let holds = rate.change(now: now) { for session in transfers.values { session.hold(holds) } }
    lookAtNetworkCost(now: now)
    launchPrograms(now: now)
  }

  /// Listens again where the socket or its folder was removed, or is another's: nobody would reach this service, and it has the lock.
  private func lookAtSocket(at now: MonotonicInstant) {
    guard let lost = listener, socketWatch.nextLook <= now else { return }
    guard !lost.isAtItsPlace else { return socketWatch.found(at: now) }
    let path = lost.place.socketPath
    let isTaken = FileIdentity(path: path) != nil
    do {
      listener = try Listener(at: lost.place)
      socketWatch.listens(at: now, inPlaceOfAnother: isTaken)
      ServiceLog.write("The socket at \(path) was removed or replaced. The service listens there again.")
    } catch {
      guard socketWatch.failed(at: now) else { return }
      ServiceLog.write(
        "The socket at \(path) was removed or replaced. It is made again as soon as that can be: \(error.localizedDescription)"
      )
    }
  }

  private var hasToEnd: Bool {
    // What was changed in a folder that somebody has removed would be found by nobody.
    if store.isGone { return true }
    switch shutdown {
    case .now: return true
    case .by(let instant): return queue.runningCount == 0 && stopping.isEmpty || instant <= .now
    case nil: break
    }
    guard let limit = options.idleTime else { return false }
    guard peers.isEmpty, queue.isIdle, !hasUncommittedChanges, !launcher.hasWork else {
      idleSince = nil
      return false
    }
    let since = idleSince ?? .now
    idleSince = since
    return since.advanced(by: limit) <= .now
  }

  /// Ends the service by a signal; the next one resumes its transfers.
  func end() { shutdown = .now }

  /// Makes room for a newer service: transfers that can be resumed are stopped, the others get ten seconds.
  func handOver() {
    guard shutdown == nil else { return }
    shutdown = .by(.now.advanced(by: .seconds(10)))
    listener = nil
    for job in queue.jobs.values where job.state.phase == .running {
      let transfer = transferSession(of: job)
      // A body that is whole ends in a moment.
      guard transfer?.isFinishing(job.number) != true,
        stored(job.number)?.resumption != nil || transfer?.resumption(of: job.number) != nil
      else { continue }
      stopTransfer(of: job)
      // This service begins none any more, and the next one at once.
      queue.stopped(job.number, now: ServiceClock.shared.now)
    }
  }

  var isEnding: Bool { shutdown != nil }

  // MARK: The disk

  private var hasUncommittedChanges: Bool { !changes.isEmpty || !queue.changed.isEmpty }

  private func commit() {
    for number in queue.changed { changes.tasks.insert(number) }
    queue.changed = []
    guard !changes.isEmpty else {
      for peer in peers.values { peer.committed() }
      return
    }
    do {
      try write()
      changes = QueueChanges()
      retriesCommit = false
      for peer in peers.values { peer.committed() }
      reportEnds()
    } catch {
      // What is true stays to be written; what nobody knows of yet is taken back.
      retriesCommit = true
      for (number, blobs) in changes.blobs where blobs.description != nil {
        if let job = queue.jobs[number] { discard(job) }
      }
      for peer in peers.values { peer.failed("The queue cannot be written: \(error.localizedDescription).") }
    }
  }

  private func write() throws {
    do { try store.write(storableChanges) { queue.jobs[$0] } } catch let error as SQLiteError where error.saysDamaged {
      guard replaceStore() else { throw error }
      // With what is removed of the tasks that are lost.
      try store.write(storableChanges) { queue.jobs[$0] }
    }
  }

  private var storableChanges: QueueChanges {
    var storable = changes
    for (identifier, session) in self.storable(changes.sessions.compactMapValues { $0 }) {
      storable.sessions[identifier] = session
    }
    return storable
  }

  /// What the file has of sessions: those without a task that is still loaded need nothing that may be a credential.
  func storable(_ sessions: [String: QueueStore.StoredSession]) -> [String: QueueStore.StoredSession] {
    var storable = sessions
    for (identifier, session) in sessions where !queue.hasUnfinished(identifier) {
      storable[identifier] = session.withoutSecrets
    }
    return storable
  }
}
