internal import CurlTransport

/// Learns whether a delegate implements a method: set for the time of a call, and told by the method's default
/// implementation. Swift has no optional protocol methods to ask.
///
/// Mutable state: `reached`, guarded by its lock.
final class DelegateProbe: Sendable {
  @TaskLocal static var current: DelegateProbe?

  private let reached = Locked(false)

  var foundNoImplementation: Bool { reached.withLock { $0 } }

  func reachedDefault() { reached.withLock { $0 = true } }
}
