internal import URLLoadingBase

/// How much work is under way at once, in units; what is beyond waits for its turn.
///
/// Mutable state: `state`, guarded by its lock.
final class WorkLimit: Sendable {
  private struct Waiter {
    let number: Int
    let units: Int
    let continuation: UnsafeContinuation<Bool, Never>
  }

  private struct State {
    var free: Int
    var nextNumber = 0
    var waiting: [Waiter] = []

    /// Takes those out that may begin, in their order.
    mutating func takeDue() -> [Waiter] {
      var count = 0
      while count < waiting.count, waiting[count].units <= free {
        free -= waiting[count].units
        count += 1
      }
      defer { waiting.removeFirst(count) }
      return Array(waiting[..<count])
    }
  }

  private let capacity: Int
  private let state: Locked<State>

  init(_ capacity: Int) {
    self.capacity = capacity
    state = Locked(State(free: capacity))
  }

  /// Calls a function when its turn has come.
  /// - Parameter units: how much work it is; what is more than all takes all.
  /// - Throws: `CancellationError` where the task is cancelled ahead of that, and what the function throws.
  func run<Result>(_ units: Int = 1, _ work: () async throws -> Result) async throws -> Result {
    let units = min(units, capacity)
    let number = state.withLock { state in
      state.nextNumber += 1
      return state.nextNumber
    }
    let isDue = await withTaskCancellationHandler {
      await withUnsafeContinuation { continuation in
        let isDue = state.withLock { state -> Bool? in
          if Task.isCancelled { return false }
          guard state.waiting.isEmpty, units <= state.free else {
            state.waiting.append(Waiter(number: number, units: units, continuation: continuation))
            return nil
          }
          state.free -= units
          return true
        }
        if let isDue { continuation.resume(returning: isDue) }
      }
    } onCancel: {
      let (cancelled, due) = state.withLock { state in
        let cancelled = state.waiting.firstIndex { $0.number == number }.map { state.waiting.remove(at: $0) }
        // It may have been what others waited for.
        return (cancelled, state.takeDue())
      }
      cancelled?.continuation.resume(returning: false)
      for waiter in due { waiter.continuation.resume(returning: true) }
    }
    guard isDue else { throw CancellationError() }
    defer { leave(units) }
    return try await work()
  }

  private func leave(_ units: Int) {
    let due = state.withLock { state in
      state.free += units
      return state.takeDue()
    }
    for waiter in due { waiter.continuation.resume(returning: true) }
  }
}
