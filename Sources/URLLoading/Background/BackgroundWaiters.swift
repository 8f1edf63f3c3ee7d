/// What waits until the session's tasks are known, and the service has answered what it was told by then. A value without I/O.
struct BackgroundWaiters {
  private struct Waiter {
    /// The last command that counts.
    let last: Int
    /// How many of them are not answered.
    var remaining: Int
    let action: @Sendable () -> Void
  }

  private var waiters: [Int: Waiter] = [:]
  private var lastKey = 0

  /// - Parameters:
  ///   - last: the number of the last command.
  ///   - remaining: those that are not answered.
  /// - Returns: what the waiter is taken out by.
  mutating func add(last: Int, remaining: Int, _ action: @escaping @Sendable () -> Void) -> Int {
    lastKey += 1
    waiters[lastKey] = Waiter(last: last, remaining: remaining, action: action)
    return lastKey
  }

  /// A command that counts was answered.
  mutating func answered(_ number: Int) {
    for key in waiters.keys where (waiters[key]?.last ?? 0) >= number { waiters[key]?.remaining -= 1 }
  }

  /// Takes those that nothing is left to wait for, now that tasks are known.
  mutating func takeDue() -> [@Sendable () -> Void] {
    let due = waiters.filter { $0.value.remaining <= 0 }
    for key in due.keys { waiters[key] = nil }
    return due.sorted { $0.key < $1.key }.map(\.value.action)
  }

  /// Takes one that has waited long enough; nil where it is gone.
  mutating func take(_ key: Int) -> (@Sendable () -> Void)? {
    defer { waiters[key] = nil }
    return waiters[key]?.action
  }

  mutating func takeAll() -> [@Sendable () -> Void] {
    defer { waiters = [:] }
    return waiters.sorted { $0.key < $1.key }.map(\.value.action)
  }
}
