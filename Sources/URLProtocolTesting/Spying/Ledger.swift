import URLLoading

/// What the instances of one session did.
///
/// Mutable state: in `entries`, which guards it.
final class Ledger: Sendable {
  let entries = Observed<[LedgerEntry]>([])
  /// Called on the instance's thread when the session has taken what it reported.
  let hook: (@Sendable (Moment, URLSessionTask) -> Void)?

  init(hook: (@Sendable (Moment, URLSessionTask) -> Void)?) {
    self.hook = hook
  }

  /// Makes an entry.
  /// - Returns: its number.
  func add(_ url: URL?) -> Int {
    entries.update { entries in
      entries.append(LedgerEntry(url: url))
      return entries.count - 1
    }
  }

  func update(_ number: Int, _ change: (inout LedgerEntry) -> Void) {
    entries.update { change(&$0[number]) }
  }

  /// Bytes that all instances reported so far.
  var bytes: Int { Self.bytes(in: entries.value) }

  static func bytes(in entries: [LedgerEntry]) -> Int { entries.reduce(0) { $0 + $1.order.bytes } }
}
