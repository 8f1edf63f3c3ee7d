internal import Synchronization

/// Accepts the first call of a handler: user code may call it twice, and a continuation may be resumed once.
///
/// Mutable state: `isGiven`, an atomic.
final class SingleAnswer: Sendable {
  private let isGiven = Atomic(false)

  /// Whether this is the first call.
  func take() -> Bool { !isGiven.exchange(true, ordering: .acquiringAndReleasing) }
}
