internal import URLLoadingHTTPSemantics

/// What a file of cookies is still to be told: the last change of each lasting cookie, and before these a removal by date; of what hosts
/// have said of themselves the same.
///
/// Cookies that end with the session never come here.
struct UnwrittenCookies {
  /// All cookies that were stored after this are to go, the file's too, which may have more than memory.
  private(set) var removalDate: Date?
  private(set) var changes: [CookieRecord.Key: CookieChange] = [:]

  /// Of transport security.
  var policies = UnwrittenFacts<HSTSPolicy>()
  var alternatives = UnwrittenFacts<AlternativeService>()

  var isEmpty: Bool { removalDate == nil && changes.isEmpty && policies.isEmpty && alternatives.isEmpty }

  /// How many changes there are, removals of all excepted.
  var count: Int { changes.count + policies.count + alternatives.count }

  mutating func recordChange(_ change: CookieChange, partition: String) {
    guard change.cookie.contents.isLasting else { return }
    recordChange(change, at: CookieRecord.Key(change.cookie, partition: partition))
  }

  private mutating func recordChange(_ change: CookieChange, at key: CookieRecord.Key) {
    switch (change, changes[key]) {
    case (.used(_, let lastAccess), .stored(var record)):
      record.lastAccess = lastAccess
      changes[key] = .stored(record)
    // What is to go goes: a use says nothing of a later version, and a removal that was asked for takes every version.
    case (.used, .removed), (.used, .dropped), (.dropped, .removed): break
    default: changes[key] = change
    }
  }

  /// Records that all cookies go which were stored after a date.
  mutating func recordRemoval(storedSince date: Date) {
    removalDate = removalDate.map { min($0, date) } ?? date
    for (key, change) in changes {
      // Not only dropped: the file may have the cookie as it was before.
      if case .stored(let record) = change, record.stored > date { changes[key] = .removed(record.cookie) }
    }
  }

  /// Adds what happened later.
  mutating func append(_ later: UnwrittenCookies) {
    if let date = later.removalDate { recordRemoval(storedSince: date) }
    for (key, change) in later.changes { recordChange(change, at: key) }
    policies.append(later.policies)
    alternatives.append(later.alternatives)
  }
}
