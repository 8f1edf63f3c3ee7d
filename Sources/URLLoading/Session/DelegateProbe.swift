internal import Synchronization

/// Finds out whether a delegate implements a method: set for the time of one call, and told by the method's default.
///
/// It is about one object and one method. What that method calls on other delegates, as forwarding ones do, reaches other defaults,
/// which do not count; nor does what is called after ``close()``.
///
/// Mutable state: `state`, an atomic.
final class DelegateProbe: Sendable {
  @TaskLocal static var current: DelegateProbe?

  private let object: ObjectIdentifier
  private let method: DelegateMethod
  private let state = Atomic(0)
  private static let reached = 1
  private static let closed = 2

  init(_ object: ObjectIdentifier, _ method: DelegateMethod) {
    self.object = object
    self.method = method
  }

  /// The default of a method was called.
  static func reachedDefault(of object: AnyObject, _ method: DelegateMethod) {
    guard let probe = current, probe.method == method, probe.object == ObjectIdentifier(object) else { return }
    _ = probe.state.compareExchange(expected: 0, desired: reached, ordering: .acquiringAndReleasing)
  }

  /// Whether the default was called in the place of an implementation.
  var foundNoImplementation: Bool { state.load(ordering: .acquiring) & Self.reached != 0 }

  /// The call has returned.
  func close() {
    state.bitwiseOr(Self.closed, ordering: .acquiringAndReleasing)
  }
}
