internal import Synchronization
internal import URLLoadingBase
internal import URLLoadingSQLite
internal import URLLoadingHTTPSemantics

/// Keeps the cookies of a storage: in memory, from where they are found, and in a file, which other programs may use, too. So are the
/// hosts' policies of transport security, and where they can be reached by HTTP/3, in tables of their own.
///
/// The file is read before the first cookie is asked for, and who asks waits for that: loads do so where they begin, on the thread that
/// resumes the task, and never on the transfer loop. From then on nobody waits for the file but a ``flush(completionHandler:)``: changes
/// are written on a queue, those of a tenth of a second in one transaction, and what others have written is read there. Whether there
/// is such is asked once a second at most, by two calls of `stat`. A process that has no lasting cookies makes no file.
///
/// Mutable state: `state` and `changedByOthers`, each guarded by its lock; `hasCookies` and `hasPolicies`, atomic, and written under that of
/// `state` alone, as is `hasAlternatives`; `database` and `flushes`, used on `queue` alone.
final class PersistentCookies: Sendable {
  /// Where cookies are kept.
  enum Place: Equatable {
    /// In memory, as asked.
    case memory
    case file(String)
    /// In memory, since there is no directory for the file.
    case nowhere
  }

  private struct State {
    var jar: CookieJar
    /// Whether what the file has is in the jar.
    var isLoaded: Bool
    /// Whether there is no use in trying to open the file.
    var isUnusable = false
    var isWriteScheduled = false
    var lastLook = MonotonicInstant.now
    /// The file as it was when it was read last.
    var mark: CookieFileMark?

    /// Whether a write is to be scheduled, which is noted.
    mutating func schedulesWrite() -> Bool {
      guard !jar.unwritten.isEmpty else { return false }
      guard !isUnusable else {
        _ = jar.takeUnwritten()
        return false
      }
      defer { isWriteScheduled = true }
      return !isWriteScheduled
    }
  }

  private static let writeDelay = DispatchTimeInterval.milliseconds(100)
  private static let retryDelay = DispatchTimeInterval.seconds(1)
  private static let unwrittenLimit = 4 * CookieStore.totalLimit
  /// How long what other programs write may go unseen.
  private static let lookInterval = Duration.seconds(1)

  private let place: Place
  private let busyTimeout: Duration
  private let state: Locked<State>
  // Whether there are any: what most loads ask, and no more.
  private let hasCookies = Atomic(false)
  private let hasPolicies = Atomic(false)
  private let hasAlternatives = Atomic(false)
  private let queue = DispatchQueue(label: "URLLoading.PersistentCookies")
  // Safe to share: touched on `queue` alone.
  private nonisolated(unsafe) var database: CookieDatabase?
  // The same. Who waits until the changes are written, while another process has the file.
  private nonisolated(unsafe) var flushes: [@Sendable () -> Void] = []
  /// Called on the queue when what others have written has changed the cookies.
  private let changedByOthers = Locked(Observer())

  private struct Observer { var call: (@Sendable () -> Void)? }

  /// - Parameter busyTimeout: how long a write waits for that of another process before it is tried again later.
  /// The directory of the file; nil without one.
  var directory: String? {
    if case .file(let path) = place { (path as NSString).deletingLastPathComponent } else { nil }
  }

  init(_ place: Place, busyTimeout: Duration = .seconds(5)) {
    self.place = place
    self.busyTimeout = busyTimeout
    state = Locked(State(jar: CookieJar(hasFile: place != .memory), isLoaded: place == .memory), rank: .cookies)
  }

  func onChangeByOthers(_ body: @escaping @Sendable () -> Void) { changedByOthers.withLock { $0.call = body } }

  // MARK: For the storage

  /// Whether there are no cookies at all.
  var isEmpty: Bool {
    catchUp()
    return !hasCookies.load(ordering: .acquiring)
  }

  /// Whether no host has a policy of transport security.
  var hasNoPolicies: Bool {
    catchUp()
    return !hasPolicies.load(ordering: .acquiring)
  }

  /// Whether no origin can be reached by HTTP/3, as far as is known.
  var hasNoAlternatives: Bool {
    catchUp()
    return !hasAlternatives.load(ordering: .acquiring)
  }

  /// Reads or changes the cookies. `body` runs under the lock.
  func withJar<Result>(_ body: (inout CookieJar) -> Result) -> Result {
    catchUp()
    let (result, writes) = state.withLock { state in
      let result = body(&state.jar)
      recordOccupancy(state.jar)
      return (result, state.schedulesWrite())
    }
    if writes { scheduleWrite(after: Self.writeDelay) }
    return result
  }

  /// Under the lock of `state`.
  private func recordOccupancy(_ jar: CookieJar) {
    hasCookies.store(!jar.isEmpty, ordering: .releasing)
    hasPolicies.store(!jar.policies.isEmpty, ordering: .releasing)
    hasAlternatives.store(!jar.alternatives.isEmpty, ordering: .releasing)
  }

  /// Reads the file if that was not done yet, and waits for it.
  func load() {
    guard case .file(let path) = place, !state.withLock({ $0.isLoaded }) else { return }
    queue.sync { load(path) }
  }

  /// Calls the handler when all changes before this call have reached the disk, or cannot: on the caller's thread or on the keeper's
  /// queue, where it must not ask for cookies. While another process has the file it waits.
  func flush(completionHandler: @escaping @Sendable () -> Void) {
    guard case .file = place, !state.withLock({ $0.isUnusable }) else { return completionHandler() }
    queue.async {
      self.flushes.append(completionHandler)
      self.write()
    }
  }

  /// Reads the file where that was not done yet, and has read what others have written since.
  private func catchUp() {
    guard case .file(let path) = place else { return }
    let now = MonotonicInstant.now
    let (isLoaded, looks, mark) = state.withLock { state in
      let looks = !state.isUnusable && state.lastLook.advanced(by: Self.lookInterval) <= now
      if looks { state.lastLook = now }
      return (state.isLoaded, looks, state.mark)
    }
    if !isLoaded { return queue.sync { load(path) } }
    guard looks, mark != CookieFileMark(path: path) else { return }
    queue.async { self.look(path) }
  }

  private func scheduleWrite(after delay: DispatchTimeInterval) {
    guard case .file = place else {
      let isLoss = state.withLock { $0.jar.takeUnwritten().count > 0 }
      state.withLock { $0.isWriteScheduled = false }
      guard isLoss else { return }
      giveUp()
      return Self.warn("there is neither HOME nor XDG_DATA_HOME")
    }
    CookiesAtExit.register(self)
    queue.asyncAfter(deadline: .now() + delay) { self.write() }
  }

  // MARK: On the queue

  private func load(_ path: String) {
    guard !state.withLock({ $0.isLoaded }) else { return }
    look(path)
    state.withLock { $0.isLoaded = true }
  }

  /// Reads the file if it has changed.
  private func look(_ path: String) {
    let mark = CookieFileMark(path: path)
    guard mark.isThere else { return state.withLock { $0.mark = mark } }
    guard state.withLock({ !$0.isUnusable && $0.mark != mark }) else { return }
    attempt { try readIfChanged(path) }
  }

  /// Writes the pending changes in one batch, and calls the handlers of the flushes that wait for it.
  private func write() {
    guard case .file(let path) = place else { return }
    let unwritten = state.withLock { state in
      state.isWriteScheduled = false
      return state.isUnusable ? UnwrittenCookies() : state.jar.takeUnwritten()
    }
    if unwritten.removalDate == .distantPast { CookieDatabase.removeDamaged(beside: path) }
    // There is nothing to remove from a file that there is not.
    guard unwritten.count > 0 || !unwritten.isEmpty && CookieFileMark(path: path).isThere else {
      return endFlushes()
    }
    do {
      try withDatabase(path) { try $0.write(unwritten) }
      // Else what others have written meanwhile would be behind the mark.
      attempt { try readIfChanged(path) }
      endFlushes()
    } catch {
      keepForLater(unwritten, error)
    }
  }

  /// What could not be written is tried again, where that may help.
  private func keepForLater(_ unwritten: UnwrittenCookies, _ error: any Error) {
    let reason = error as? SQLiteError
    let isBusy = reason?.saysBusy == true
    if !isBusy { Self.warn(error.localizedDescription) }
    // A file that was deleted or replaced at this moment is made anew.
    let mayHelp = isBusy || reason?.saysFull == true || reason?.saysDamaged == true || database?.isReplaced == true
    // On a disk that stays full what is to be written would grow without end.
    guard mayHelp, unwritten.count <= Self.unwrittenLimit else {
      giveUp()
      return endFlushes()
    }
    let retries = state.withLock { state in
      state.jar.putBack(unwritten)
      return state.schedulesWrite()
    }
    if retries { scheduleWrite(after: Self.retryDelay) }
    // Another process ends its write; a disk may stay full for ever.
    if !isBusy { endFlushes() }
  }

  private func endFlushes() {
    let ended = flushes
    flushes = []
    for handler in ended { handler() }
  }

  private func readIfChanged(_ path: String) throws {
    // Before it is read: what is written afterwards is another mark.
    let mark = CookieFileMark(path: path)
    if let contents = try withDatabase(path, { try $0.contentsIfChangedElsewhere() }) {
      let now = Date()
      let file = CookieJar(contents, now: now)
      let (isLoaded, writes) = state.withLock { state in
        state.jar.update(from: file, now: now)
        recordOccupancy(state.jar)
        return (state.isLoaded, state.schedulesWrite())
      }
      if writes { scheduleWrite(after: Self.writeDelay) }
      if isLoaded { changedByOthers.withLock { $0.call }?() }
    }
    state.withLock { $0.mark = mark }
  }

  /// Runs `body`, and once more with a new file where the file turns out to be damaged. The new one gets what is in memory.
  private func withDatabase<Result>(_ path: String, _ body: (CookieDatabase) throws -> Result) throws -> Result {
    let used = try opened(path)
    do { return try body(used) } catch let error as SQLiteError where error.saysDamaged {
      let new = try used.replacingDamaged()
      database = new
      try new.write(everything)
      return try body(new)
    }
  }

  private func opened(_ path: String) throws -> CookieDatabase {
    if let database, !database.isReplaced { return database }
    let isFirst = database == nil
    database = nil
    do {
      let opened = try CookieDatabase(path: path, busyTimeout: busyTimeout)
      // Else somebody has found the file damaged, or has deleted it.
      if !isFirst { try opened.write(everything) }
      database = opened
      return opened
    } catch let error as SQLiteError where error.saysBusy || error.saysFull || error.saysDamaged {
      throw error
    } catch {
      giveUp()
      throw error
    }
  }

  /// All that is in memory and outlives the program.
  private var everything: UnwrittenCookies {
    var result = UnwrittenCookies()
    let (rows, policies, alternatives) = state.withLock {
      ($0.jar.lastingRows, $0.jar.policies.policies, $0.jar.alternatives.services)
    }
    for row in rows { result.recordChange(.stored(row.record), partition: row.partition) }
    for policy in policies { result.policies.record(.stored(policy)) }
    for service in alternatives { result.alternatives.record(.stored(service)) }
    return result
  }

  /// What fails is tried again later: the disk may have room then.
  private func attempt(_ body: () throws -> Void) {
    do { try body() } catch {
      if (error as? SQLiteError)?.saysBusy != true { Self.warn(error.localizedDescription) }
    }
  }

  private func giveUp() {
    state.withLock { state in
      state.isUnusable = true
      _ = state.jar.takeUnwritten()
    }
  }

  private static func warn(_ reason: String) { StorageWarning.write("cookies stay in memory: \(reason)") }
}
