import Foundation
internal import URLLoadingBase
internal import URLLoadingSQLite

/// Keeps responses on disk: an index with small bodies in SQLite, larger bodies in files. Several processes may use one directory.
///
/// A file is on the disk before the row that names it, so that a machine that loses its power leaves whole bodies. Against disks that lie
/// about that, and against all other damage, the row has a sum of each block of the file, and no byte of a block that has another one is
/// given away: the entry goes, and the load turns to the source. Only where a load has got more than the first megabytes before the damage
/// is reached it fails, as by a connection that is lost.
///
/// The keys that the index has are known in memory by their hashes, so that a load of what is not stored asks no disk. What other processes
/// store is found within a second. An index that is not there is made when something is stored: a program that stores nothing leaves no file,
/// and its first load does not wait for one.
///
/// What is changed is noted in `state` and carried out on the queue, all that has come meanwhile in one transaction. A caller looks up by itself
/// what only has to be read, and comes from the page cache: two changes of threads take as long as a lookup, 39 % of the CPU time of a load of
/// 100 KB (benchmark `K2`).
///
/// Mutable state: `state` and `index`, each guarded by its lock. That of the index is held while the disk is used; the queue and `usage` wait for
/// it, a caller takes it only where it is free. Who has it may take that of the state. No handler is called under either.
final class DiskCacheStore: URLCacheStore {
  private struct State {
    var capacity: Int
    /// Bytes of all entries, as of the last look at the index.
    var usage = 0
    /// The hashes of the keys: of all that are stored where `knowsKeys`, of what this process has stored before.
    var keys: Set<Int64> = []
    /// Whether the index was opened, or was not there.
    var knowsKeys = false
    /// Whether there is no use in trying to open the index.
    var isUnusable = false
    var changes: [DiskCacheChange] = []
    var isScheduled = false
    /// Whether changes could not be carried out: until they are, nothing is found, as it may be what was removed.
    var isBehind = false
    /// When the index was last compared with what other processes may have done.
    var lastLook = MonotonicInstant.now

    /// The hashes of the keys that are about to be stored: the index does not have them yet.
    var keysOfChanges: Set<Int64> { Set(changes.compactMap { $0.newKey.map { DiskCacheIndex.hash(of: $0) } }) }
  }

  /// How long what another process has stored may go unseen.
  private static let lookInterval = Duration.seconds(1)

  let directory: String
  private let state: Locked<State>
  private let queue = DispatchQueue(label: "URLLoading.DiskCacheStore")
  private let index = Locked<DiskCacheIndex?>(nil, rank: .diskCacheIndex)

  private static let queueKey = DispatchSpecificKey<ObjectIdentifier>()
  /// As many changes wait at most; then all that is stored goes.
  private static let changeLimit = 1000

  init(directory: String, capacity: Int) {
    self.directory = directory
    state = Locked(State(capacity: max(0, capacity)), rank: .diskCache)
    queue.setSpecific(key: Self.queueKey, value: ObjectIdentifier(self))
  }

  /// The one store of a directory in this process. Its capacity is what was asked for last.
  static func store(in directory: String, capacity: Int) -> DiskCacheStore {
    let path = URL(fileURLWithPath: directory).standardizedFileURL.path
    return stores.withLock { stores in
      stores = stores.filter { $0.value.store != nil }
      if let store = stores[path]?.store {
        store.capacity = capacity
        return store
      }
      let store = DiskCacheStore(directory: path, capacity: capacity)
      stores[path] = WeakStore(store: store)
      return store
    }
  }

  private struct WeakStore: Sendable { weak var store: DiskCacheStore? }

  private static let stores = Locked<[String: WeakStore]>([:], rank: .diskCaches)

  // MARK: Room

  var capacity: Int {
    get { state.withLock { $0.capacity } }
    set {
      state.withLock { $0.capacity = max(0, newValue) }
      add(.trim)
    }
  }

  var usage: Int {
    index.withLock { carryOutChanges(&$0) }
    return state.withLock { $0.usage }
  }

  // MARK: Finding

  func entries(for key: String, completionHandler: @escaping @Sendable ([URLCacheEntry]) -> Void) {
    recordMissingIndex()
    let hash = DiskCacheIndex.hash(of: key)
    let now = MonotonicInstant.now
    let (isAbsent, looks) = state.withLock { state -> (Bool, Bool) in
      if state.isUnusable { return (true, false) }
      guard state.knowsKeys else { return (false, false) }
      let looks = state.lastLook.advanced(by: Self.lookInterval) <= now
      if looks { state.lastLook = now }
      return (!state.keys.contains(hash), looks)
    }
    if looks { queue.async { self.index.withLock { self.lookForOthers(&$0) } } }
    guard !isAbsent else { return completionHandler([]) }
    if !looks, let entries = entriesAtOnce(for: key, hash: hash) { return completionHandler(entries) }
    look(for: { try $0.entries(for: key, hash: hash) }, then: { completionHandler($0 ?? []) })
  }

  /// Whether nothing is stored, as far as can be said without a look at the disk.
  var isKnownToBeEmpty: Bool {
    recordMissingIndex()
    let now = MonotonicInstant.now
    return state.withLock { state in
      state.isUnusable
        || state.knowsKeys && state.keys.isEmpty && state.changes.isEmpty
          && now < state.lastLook.advanced(by: Self.lookInterval)
    }
  }

  /// Before the first lookup: where there is no index, nothing is stored. On the loop's thread the queue finds out: a disk may block.
  private func recordMissingIndex() {
    guard state.withLock({ !$0.knowsKeys && !$0.isUnusable }), !URLSession.isOnLoadingThread,
      !DiskCacheIndex.isThere(in: directory)
    else { return }
    state.withLock { state in
      state.knowsKeys = true
      state.lastLook = .now
    }
  }

  /// Looks up what needs nobody to be waited for, but for pages of the index that SQLite reads from the disk; nil where the queue has to.
  private func entriesAtOnce(for key: String, hash: Int64) -> [URLCacheEntry]? {
    guard !URLSession.isOnLoadingThread else { return nil }
    let entries = index.withLockIfAvailable { index -> [URLCacheEntry]? in
      guard let index, state.withLock({ !$0.isBehind && $0.changes.isEmpty }) else { return nil }
      // What is damaged, the queue replaces.
      return try? index.entriesAtOnce(for: key, hash: hash)
    }
    return entries ?? nil
  }

  func body(of entry: URLCacheEntry, completionHandler: @escaping @Sendable (URLCacheBody?) -> Void) {
    look(
      for: { index in try index.body(of: entry) { [weak self] in self?.remove([entry]) } },
      then: { completionHandler($0 ?? nil) })
  }

  /// Looks something up on the queue, at once where that runs the caller: answers reach code of the program, which may ask again and wait.
  /// - Parameter take: takes the answer; nil where the index cannot be used.
  private func look<Answer: Sendable>(
    for find: @escaping @Sendable (DiskCacheIndex) throws -> Answer, then take: @escaping @Sendable (Answer?) -> Void
  ) {
    let work = { @Sendable in
      let answer = self.index.withLock { index -> Answer? in
        self.carryOutChanges(&index)
        guard index != nil, !self.state.withLock({ $0.isBehind }) else { return nil }
        return self.withIndex(&index, find)
      }
      take(answer)
    }
    if DispatchQueue.getSpecific(key: Self.queueKey) == ObjectIdentifier(self) { return work() }
    queue.async(execute: work)
  }

  // MARK: Storing

  func writer(for entry: URLCacheEntry, expectedLength: Int64) -> (any URLCacheWriter)? {
    let limit = capacity
    guard limit > 0, expectedLength <= limit, !entry.staysInMemory, !state.withLock({ $0.isUnusable }) else {
      return nil
    }
    return DiskCacheWriter(store: self, id: entry.id, limit: limit)
  }

  /// Makes a file for a body. The directory may not be there before the index was opened; where it cannot be made, neither can the index.
  func makePart(_ id: String) -> DiskCachePart? {
    let path = "\(directory)/bodies/\(id).part"
    if let part = DiskCachePart(path: path) { return part }
    try? FileManager.default.createDirectory(
      atPath: "\(directory)/bodies", withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let part = DiskCachePart(path: path)
    if part == nil { queue.async { self.index.withLock { _ = self.withIndex(&$0) { _ in } } } }
    return part
  }

  /// Stores an entry whose body is whole.
  func store(_ entry: URLCacheEntry, _ body: DiskCacheWriter.Body, replacing replaced: [URLCacheEntry]) {
    add(.store(entry, body, replaced))
  }

  func replace(_ entry: URLCacheEntry) { add(.replace(entry)) }

  func remove(_ entries: [URLCacheEntry]) {
    if !entries.isEmpty { add(.remove(entries)) }
  }

  func removeAll(for key: String) { add(.removeKey(key)) }

  func removeAll(since date: Date?) { add(.removeSince(date)) }

  func flush(completionHandler: @escaping @Sendable () -> Void) {
    queue.async {
      self.index.withLock { self.carryOutChanges(&$0) }
      completionHandler()
    }
  }

  private func add(_ change: DiskCacheChange) {
    let schedules = state.withLock { state in
      guard !state.isUnusable else { return false }
      if let key = change.newKey { state.keys.insert(DiskCacheIndex.hash(of: key)) }
      state.changes.append(change)
      defer { state.isScheduled = true }
      return !state.isScheduled
    }
    if schedules { queue.async { self.index.withLock { self.carryOutChanges(&$0) } } }
  }

  // MARK: With the index

  /// Changes leave `state` under the lock of the index, so that none is neither noted nor carried out when somebody looks.
  private func carryOutChanges(_ index: inout DiskCacheIndex?) {
    let (changes, capacity) = state.withLock { state in
      defer {
        state.changes = []
        state.isScheduled = false
      }
      return (state.changes, state.capacity)
    }
    let stores = changes.contains { $0.newKey != nil }
    // Where nothing is stored, nothing has to go.
    guard index != nil || stores || DiskCacheIndex.isThere(in: directory) else { return forgetStored() }
    guard !changes.isEmpty else {
      if index == nil { _ = withIndex(&index) { _ in } }
      return
    }
    let usage = withIndex(&index) { index in
      try index.carryOut(changes)
      return try index.trim(to: capacity)
    }
    state.withLock { state in
      if let usage { state.usage = usage }
      // What was removed, or replaced, must not come back.
      let rest = usage == nil && !state.isUnusable ? changes.compactMap(\.withoutNewEntry) : []
      state.isBehind = !rest.allSatisfy(\.onlyMakesRoom)
      guard !rest.isEmpty else { return }
      let all = rest + state.changes
      state.changes = all.count <= Self.changeLimit ? all : [.removeSince(nil)]
    }
    for case .store(_, let body, _) in changes where usage == nil { body.discard() }
  }

  /// Takes over which keys other processes have stored.
  private func lookForOthers(_ index: inout DiskCacheIndex?) {
    if index?.isReplaced == true { index = nil }
    guard index != nil || DiskCacheIndex.isThere(in: directory) else { return forgetStored() }
    guard let keys = withIndex(&index, { try $0.keysIfChanged() }) ?? nil else { return }
    state.withLock { $0.keys = keys.union($0.keysOfChanges) }
  }

  /// There is no index: nothing is stored. Not without the lock of the index, where somebody may be making it.
  private func forgetStored() {
    state.withLock { state in
      state.keys = state.keysOfChanges
      state.usage = 0
      state.knowsKeys = true
      state.isBehind = false
    }
  }

  /// Opens the index, or makes it where there is none.
  /// - Returns: nil where the index cannot be used: a damaged one is replaced, and found empty from then on.
  private func withIndex<Result>(
    _ index: inout DiskCacheIndex?, _ body: (DiskCacheIndex) throws -> Result
  ) -> Result? {
    do {
      if index == nil {
        guard !state.withLock({ $0.isUnusable }) else { return nil }
        let opened = try DiskCacheIndex(directory: directory)
        index = opened
        let (keys, usage) = (try opened.keys(), try opened.usage())
        state.withLock { state in
          state.keys.formUnion(keys)
          state.knowsKeys = true
          state.usage = usage
        }
      }
      return try index.map { try body($0) }
    } catch let error as SQLiteError where error.saysDamaged {
      let damaged = index
      index = nil
      if let damaged { index = try? DiskCacheIndex(directory: directory, replacing: damaged) }
      state.withLock { state in
        state.keys = state.keysOfChanges
        state.knowsKeys = index != nil
        state.isBehind = false
      }
      return nil
    } catch {
      // Another process may be opening it.
      if index == nil, (error as? SQLiteError)?.saysBusy != true { giveUp(error) }
      return nil
    }
  }

  private func giveUp(_ error: any Error) {
    state.withLock { state in
      state.isUnusable = true
      state.keys = []
    }
    StorageWarning.write(
      "the cache in \(directory) is not used, responses stay in memory: \(error.localizedDescription)")
  }
}

/// What is to be done to an index.
enum DiskCacheChange: Sendable {
  case store(URLCacheEntry, DiskCacheWriter.Body, [URLCacheEntry])
  case replace(URLCacheEntry)
  case remove([URLCacheEntry])
  case removeKey(String)
  case removeSince(Date?)
  case trim

  /// The key that it stores.
  var newKey: String? {
    if case .store(let entry, _, _) = self { entry.key } else { nil }
  }

  /// What is left to do where an entry could not be stored: what it was to replace goes all the same.
  var withoutNewEntry: DiskCacheChange? {
    guard case .store(_, _, let replaced) = self else { return self }
    return replaced.isEmpty ? nil : .remove(replaced)
  }

  /// Whether all that is stored is as valid without it as with it.
  var onlyMakesRoom: Bool {
    if case .trim = self { true } else { false }
  }
}
