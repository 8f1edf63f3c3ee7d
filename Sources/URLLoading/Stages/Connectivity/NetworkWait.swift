internal import URLLoadingBase

/// What an attempt waits for that could not reach the network: a change since it began, or the end of a time.
struct NetworkWait: Sendable {
  /// Changes before the attempt began.
  private let changes = NetworkChanges.shared.count
  private var waiter: NetworkChanges.Waiter?

  /// Whether ``end()`` has something to do.
  var isUnderWay: Bool { waiter != nil }

  /// Waits.
  /// - Parameter next: called once, on another thread, unless the wait ends before.
  mutating func begin(atMost limit: Duration, then next: @escaping @Sendable () -> Void) {
    waiter = NetworkChanges.shared.wait(since: changes, atMost: limit, next)
  }

  /// Ends the wait: the attempt is over.
  mutating func end() {
    guard let waiter = waiter.take() else { return }
    NetworkChanges.shared.cancel(waiter)
  }
}
