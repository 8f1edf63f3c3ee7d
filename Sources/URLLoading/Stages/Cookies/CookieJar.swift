internal import URLLoadingHTTPSemantics

/// All cookies of a storage: a store for each partition, what hosts have said of themselves, and what their file does not know yet.
/// A value without locks or clocks.
struct CookieJar {
  /// The partition of requests that name none. None that is named is empty.
  static let common = ""

  /// None is empty.
  private var stores: [String: CookieStore] = [:]
  /// Which hosts are to be reached over secure connections alone.
  private(set) var policies = HSTSStore(siteOf: PublicSuffixes.site)
  /// Where origins can be reached by HTTP/3.
  private(set) var alternatives = AlternativeServiceStore(siteOf: PublicSuffixes.site)
  private let hasFile: Bool
  /// Empty for a jar without a file.
  private(set) var unwritten = UnwrittenCookies()

  init(hasFile: Bool) {
    self.hasFile = hasFile
  }

  /// A jar of what a file has. What has expired or is beyond the limits is evicted, which is to be written.
  init(_ contents: CookieDatabase.Contents, now: Date) {
    hasFile = true
    var droppedPolicies: [HostFactChange<HSTSPolicy>] = []
    policies = HSTSStore(contents.policies, siteOf: PublicSuffixes.site, now: now, dropped: &droppedPolicies)
    for change in droppedPolicies { unwritten.policies.record(change) }
    var droppedAlternatives: [HostFactChange<AlternativeService>] = []
    alternatives = AlternativeServiceStore(
      contents.alternatives, siteOf: PublicSuffixes.site, now: now, dropped: &droppedAlternatives)
    for change in droppedAlternatives { unwritten.alternatives.record(change) }
    let rows = contents.cookies
    for row in rows where row.record.cookie.isExpired(at: now) {
      unwritten.recordChange(.dropped(row.record), partition: row.partition)
    }
    let alive = rows.lazy.filter { !$0.record.cookie.isExpired(at: now) }
    for (partition, rows) in Dictionary(grouping: alive, by: \.partition) {
      change(in: partition) { store in
        store = CookieStore(rows.lazy.map(\.record), now: now)
        return true
      }
    }
  }

  var isEmpty: Bool { stores.isEmpty }

  // MARK: Finding

  func cookies(for origin: CookieOrigin, partition: String, now: Date) -> [HTTPCookie] {
    stores[partition]?.cookies(for: origin, now: now) ?? []
  }

  /// The same for a request that is made: they have been used then.
  mutating func take(for origin: CookieOrigin, partition: String, now: Date) -> [HTTPCookie] {
    guard stores[partition] != nil else { return [] }
    var found: [HTTPCookie] = []
    change(in: partition) { store in
      found = store.take(for: origin, now: now)
      return false
    }
    return found
  }

  /// All of the common partition that have not expired, oldest first.
  func all(now: Date) -> [HTTPCookie] { stores[Self.common]?.all(now: now) ?? [] }

  /// All that outlive the program.
  var lastingRows: [CookieRow] {
    stores.flatMap { partition, store in
      store.records.lazy.filter(\.isLasting).map { CookieRow(partition: partition, record: $0) }
    }
  }

  // MARK: Changing

  /// Changes the cookies of a partition.
  /// - Returns: what `body` says, which is whether anything changed.
  @discardableResult
  mutating func change(in partition: String, _ body: (inout CookieStore) -> Bool) -> Bool {
    var store = stores.removeValue(forKey: partition) ?? CookieStore(recordsChanges: hasFile)
    let isChanged = body(&store)
    for change in store.takeChanges() { unwritten.recordChange(change, partition: partition) }
    if !store.isEmpty { stores[partition] = store }
    return isChanged
  }

  /// Removes the cookies of all partitions that were stored or changed after a date. Returns whether there were any.
  mutating func removeAll(storedSince date: Date) -> Bool {
    if hasFile { unwritten.recordRemoval(storedSince: date) }
    var isChanged = false
    for partition in stores.keys {
      let removes = change(in: partition) { $0.removeAll(storedSince: date) }
      isChanged = isChanged || removes
    }
    return isChanged
  }

  // MARK: Transport security

  /// Records what a host says, see ``HSTSStore/record(_:from:isSecure:isVerified:now:)``.
  mutating func record(transportSecurity field: String, from host: String, isSecure: Bool, isVerified: Bool, now: Date)
  {
    let changes = policies.record(field, from: host, isSecure: isSecure, isVerified: isVerified, now: now)
    if hasFile { for change in changes { unwritten.policies.record(change) } }
  }

  /// Ends the policies of all hosts.
  mutating func removePolicies() {
    policies.removeAll()
    if hasFile { unwritten.policies.recordRemoval() }
  }

  // MARK: Alternatives

  /// Changes where origins can be reached by HTTP/3.
  mutating func changeAlternatives(
    _ body: (inout AlternativeServiceStore) -> [HostFactChange<AlternativeService>]
  ) {
    let changes = body(&alternatives)
    if hasFile { for change in changes { unwritten.alternatives.record(change) } }
  }

  /// Forgets all of them.
  mutating func removeAlternatives() {
    alternatives.removeAll()
    if hasFile { unwritten.alternatives.recordRemoval() }
  }

  // MARK: Beside a file

  mutating func takeUnwritten() -> UnwrittenCookies {
    defer { unwritten = UnwrittenCookies() }
    return unwritten
  }

  /// Gives back what could not be written.
  mutating func putBack(_ earlier: UnwrittenCookies) {
    var all = earlier
    all.append(unwritten)
    unwritten = all
  }

  /// Takes over what the file has by now, which other programs may have written. What is not written yet holds, too; of a cookie that
  /// ends with the session here, and does not in the file, the one that was stored last.
  mutating func update(from file: CookieJar, now: Date) {
    var new = file
    // What the file is to lose of itself is older than what happened here.
    var all = new.takeUnwritten()
    all.append(unwritten)
    if let date = unwritten.removalDate {
      for key in new.stores.keys { new.quietly(key) { _ = $0.removeAll(storedSince: date) } }
    }
    for (partition, store) in stores {
      for record in store.records { new.takeOver(record, partition: partition) }
    }
    for (key, change) in unwritten.changes {
      new.quietly(key.partition) { store in
        switch change {
        case .stored(let record): store.put(record)
        case .removed(let cookie): if store.record(of: cookie)?.isLasting == true { _ = store.remove(cookie) }
        case .dropped(let dropped):
          guard let known = store.record(of: dropped.cookie), known.isLasting, known.stored <= dropped.stored else {
            break
          }
          _ = store.remove(known.cookie)
        // Taken over above.
        case .used: break
        }
      }
    }
    for partition in new.stores.keys {
      new.change(in: partition) { store in
        store.keepLimits(now: now)
        return true
      }
    }
    if unwritten.policies.removesAll { new.policies.removeAll() }
    for change in unwritten.policies.changes.values { new.policies.apply(change) }
    if unwritten.alternatives.removesAll { new.alternatives.removeAll() }
    for change in unwritten.alternatives.changes.values { new.alternatives.apply(change) }
    stores = new.stores
    policies = new.policies
    alternatives = new.alternatives
    // What was noted meanwhile.
    all.append(new.unwritten)
    unwritten = all
  }

  private mutating func takeOver(_ record: CookieRecord, partition: String) {
    let known = stores[partition]?.record(of: record.cookie)
    if record.isLasting {
      guard var known, known.lastAccess < record.lastAccess else { return }
      known.lastAccess = record.lastAccess
      quietly(partition) { $0.put(known) }
    } else if known.map({ $0.stored <= record.stored }) ?? true {
      if let known { unwritten.recordChange(.dropped(known), partition: partition) }
      quietly(partition) { $0.put(record) }
    }
  }

  /// Changes a partition by what the file knows, or will.
  private mutating func quietly(_ partition: String, _ body: (inout CookieStore) -> Void) {
    var store = stores.removeValue(forKey: partition) ?? CookieStore(recordsChanges: hasFile)
    body(&store)
    _ = store.takeChanges()
    if !store.isEmpty { stores[partition] = store }
  }
}
