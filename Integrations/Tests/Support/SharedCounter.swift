import Synchronization

/// Counts from 1.
package final class SharedCounter: Sendable {
  private let last = Atomic(0)

  package init() {}

  /// The next number.
  package func next() -> Int { last.wrappingAdd(1, ordering: .relaxed).newValue }

  /// How many were counted.
  package var count: Int { last.load(ordering: .relaxed) }
}
