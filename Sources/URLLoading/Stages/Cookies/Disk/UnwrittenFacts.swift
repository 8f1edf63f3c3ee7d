internal import URLLoadingHTTPSemantics

/// What a file is still to be told of facts about hosts: the last change of each, and before these the removal of all.
struct UnwrittenFacts<Fact: HostFact> {
  /// Whether all are to go, before their changes.
  private(set) var removesAll = false
  private(set) var changes: [Fact.Key: HostFactChange<Fact>] = [:]

  var isEmpty: Bool { !removesAll && changes.isEmpty }

  /// How many changes there are, removals of all excepted.
  var count: Int { changes.count }

  /// Whether there is something to be stored.
  var storesAny: Bool {
    changes.values.contains { if case .stored = $0 { true } else { false } }
  }

  mutating func record(_ change: HostFactChange<Fact>) {
    // What was asked for takes every version.
    if case .dropped = change, case .removed = changes[change.key] { return }
    changes[change.key] = change
  }

  /// Records that all go.
  mutating func recordRemoval() {
    removesAll = true
    changes = [:]
  }

  /// Adds what happened later.
  mutating func append(_ later: UnwrittenFacts) {
    if later.removesAll { recordRemoval() }
    for change in later.changes.values { record(change) }
  }
}
