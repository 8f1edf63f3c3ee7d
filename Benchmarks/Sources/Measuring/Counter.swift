import Synchronization

/// Gives out numbers from 0 on.
///
/// Mutable state: the next number, an atomic.
final class Counter: Sendable {
  private let next = Atomic(0)

  func take() -> Int { next.wrappingAdd(1, ordering: .relaxed).oldValue }
}
