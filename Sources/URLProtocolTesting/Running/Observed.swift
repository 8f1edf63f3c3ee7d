import URLLoading

// Safe to share: `value`, `waiters` and `nextWaiter` are touched only while `lock` is held.
/// A value that several threads change and that checks wait on.
///
/// Mutable state: the value and its waiters, guarded by `lock`. A waiter is removed under the lock and called after it, hence exactly
/// once. The lock is an `NSLock`, which the thread sanitizer sees.
final class Observed<Value: Sendable>: @unchecked Sendable {
  private struct Waiter {
    let condition: @Sendable (Value) -> Bool
    let resume: @Sendable (Bool) -> Void
  }

  private let lock = NSLock()
  private var current: Value
  private var waiters: [Int: Waiter] = [:]
  private var nextWaiter = 0

  init(_ value: Value) {
    current = value
  }

  /// The value now.
  var value: Value { lock.withLock { current } }

  /// Changes the value and wakes those whose condition now holds.
  @discardableResult
  func update<Result>(_ body: (inout Value) -> Result) -> Result {
    let (result, woken) = lock.withLock { () -> (Result, [Waiter]) in
      let result = body(&current)
      guard !waiters.isEmpty else { return (result, []) }
      let ready = waiters.filter { $0.value.condition(current) }
      for key in ready.keys { waiters[key] = nil }
      return (result, Array(ready.values))
    }
    for waiter in woken { waiter.resume(true) }
    return result
  }

  /// Waits until the condition holds.
  /// - Parameter limit: how long; nil for as long as the surrounding task is not cancelled.
  /// - Returns: false when the limit passed, or the surrounding task was cancelled.
  func wait(for limit: Duration? = nil, until condition: @escaping @Sendable (Value) -> Bool) async -> Bool {
    let key = lock.withLock {
      nextWaiter += 1
      return nextWaiter
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        add(Waiter(condition: condition, resume: { continuation.resume(returning: $0) }), key)
        if Task.isCancelled { return giveUp(key) }
        guard let limit else { return }
        DispatchQueue.global().asyncAfter(deadline: .now() + limit.inSeconds) { [weak self] in self?.giveUp(key) }
      }
    } onCancel: {
      giveUp(key)
    }
  }

  private func add(_ waiter: Waiter, _ key: Int) {
    let holds = lock.withLock {
      if waiter.condition(current) { return true }
      waiters[key] = waiter
      return false
    }
    if holds { waiter.resume(true) }
  }

  private func giveUp(_ key: Int) {
    let waiter = lock.withLock { waiters.removeValue(forKey: key) }
    waiter?.resume(false)
  }
}

extension Duration {
  var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}
