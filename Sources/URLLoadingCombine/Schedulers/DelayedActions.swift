import Dispatch
import Foundation
internal import URLLoadingBase

/// Calls functions at moments, in the order of these; those of one moment in the order in which they were added.
///
/// `delay(for:scheduler:)` schedules a value and then the end: Dispatch does not keep the order of what is due within its precision, nor
/// do timers of a run loop.
///
/// Mutable state: `state`, guarded by its lock. The functions are called on `queue`.
final class DelayedActions: Sendable {
  private struct Entry {
    let date: Date
    let number: UInt64
    let function: @Sendable () -> Void

    func isBefore(_ date: Date, _ number: UInt64) -> Bool {
      (self.date, self.number) < (date, number)
    }
  }

  private struct State {
    /// In the order in which they are due.
    var entries: [Entry] = []
    var lastNumber: UInt64 = 0

    mutating func insert(_ date: Date, _ function: @escaping @Sendable () -> Void) -> UInt64 {
      lastNumber += 1
      entries.insert(Entry(date: date, number: lastNumber, function: function), at: count(before: date, lastNumber))
      return lastNumber
    }

    /// How many entries are due before one.
    func count(before date: Date, _ number: UInt64) -> Int {
      var (low, high) = (0, entries.count)
      while low < high {
        let middle = (low + high) / 2
        if entries[middle].isBefore(date, number) { low = middle + 1 } else { high = middle }
      }
      return low
    }

    /// Takes out what is due up to an entry, this included.
    mutating func take(upTo date: Date, _ number: UInt64) -> [Entry] {
      let count = count(before: date, number + 1)
      defer { entries.removeFirst(count) }
      return Array(entries.prefix(count))
    }
  }

  static let shared = DelayedActions()

  private let state = Locked(State())
  private let queue = DispatchQueue(label: "URLLoadingCombine.DelayedActions")

  /// - Parameters:
  ///   - date: when the function is called, at once where it has passed.
  ///   - function: what is called. It must not block.
  func add(at date: Date, _ function: @escaping @Sendable () -> Void) {
    let number = state.withLock { $0.insert(date, function) }
    // What is due before is called before, whichever timer is the first.
    queue.asyncAfter(deadline: .now() + max(date.timeIntervalSinceNow, 0)) {
      for entry in self.state.withLock({ $0.take(upTo: date, number) }) { entry.function() }
    }
  }
}
