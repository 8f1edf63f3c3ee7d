/// Values by key, up to a total cost: what was not used for longest goes first. Each operation on one key takes the same time, however
/// many there are.
///
/// The entries are a list in the order of their use, linked by places in an array.
struct RecentEntries<Key: Hashable, Value> {
  private struct Entry {
    let key: Key
    var value: Value
    var cost: Int
    var newer: Int?
    var older: Int?
  }

  private var entries: [Entry?] = []
  private var vacant: [Int] = []
  private var places: [Key: Int] = [:]
  private var newest: Int?
  private var oldest: Int?

  /// The cost of all values.
  private(set) var cost = 0
  private(set) var limit: Int

  init(limit: Int) {
    self.limit = max(0, limit)
  }

  var count: Int { places.count }

  /// The value of a key, which counts as used now.
  mutating func use(_ key: Key) -> Value? {
    guard let place = places[key], let entry = entries[place] else { return nil }
    if newest != place {
      unlink(entry)
      link(place)
    }
    return entry.value
  }

  /// Stores a value in place of the key's. One that costs more than the limit is not stored, and the old one goes all the same.
  /// - Returns: the values that went.
  mutating func store(_ value: Value, for key: Key, cost: Int) -> [Value] {
    let cost = max(0, cost)
    var gone: [Value] = []
    if let old = remove(key) { gone.append(old) }
    guard cost <= limit else { return gone }
    gone += evict(to: limit - cost)
    let place = vacant.popLast() ?? entries.endIndex
    let entry = Entry(key: key, value: value, cost: cost)
    if place == entries.endIndex { entries.append(entry) } else { entries[place] = entry }
    places[key] = place
    self.cost += cost
    link(place)
    return gone
  }

  /// Changes the limit.
  /// - Returns: the values that went.
  mutating func setLimit(_ newLimit: Int) -> [Value] {
    limit = max(0, newLimit)
    return evict(to: limit)
  }

  /// - Returns: the value that went.
  mutating func remove(_ key: Key) -> Value? {
    places[key].flatMap { remove(at: $0) }
  }

  /// - Returns: the values that went.
  mutating func removeAll(where isUnwanted: (Value) -> Bool = { _ in true }) -> [Value] {
    let unwanted = places.values.filter { place in entries[place].map { isUnwanted($0.value) } ?? false }
    let gone = unwanted.compactMap { remove(at: $0) }
    if places.isEmpty {
      entries = []
      vacant = []
    }
    return gone
  }

  // MARK: The list

  private mutating func evict(to cost: Int) -> [Value] {
    var gone: [Value] = []
    while self.cost > cost, let oldest, let value = remove(at: oldest) { gone.append(value) }
    return gone
  }

  private mutating func remove(at place: Int) -> Value? {
    guard let entry = entries[place] else { return nil }
    unlink(entry)
    entries[place] = nil
    vacant.append(place)
    places[entry.key] = nil
    cost -= entry.cost
    return entry.value
  }

  /// Puts an entry at the newest end.
  private mutating func link(_ place: Int) {
    entries[place]?.older = newest
    entries[place]?.newer = nil
    if let newest { entries[newest]?.newer = place } else { oldest = place }
    newest = place
  }

  /// Takes an entry out of the list.
  private mutating func unlink(_ entry: Entry) {
    if let older = entry.older { entries[older]?.newer = entry.newer } else { oldest = entry.newer }
    if let newer = entry.newer { entries[newer]?.older = entry.older } else { newest = entry.older }
  }
}
