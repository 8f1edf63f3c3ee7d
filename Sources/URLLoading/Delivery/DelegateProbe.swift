internal import URLLoadingBase

/// Finds out whether a delegate implements a method: a task-local value during one call, which the method's default marks.
///
/// It is about one object and one method: defaults of other delegates, to which a method may forward, do not count, nor do calls
/// after ``close()``.
///
/// Mutable state: `state`, guarded by its lock.
final class DelegateProbe: Sendable {
  @TaskLocal static var current: DelegateProbe?

  private let object: ObjectIdentifier
  private let method: DelegateMethod
  private let state = Locked(State())

  private struct State {
    var hasReachedDefault = false
    var isClosed = false
  }

  init(_ object: ObjectIdentifier, _ method: DelegateMethod) {
    self.object = object
    self.method = method
  }

  /// The default of a method was called.
  static func reachedDefault(of object: AnyObject, _ method: DelegateMethod) {
    guard let probe = current, probe.method == method, probe.object == ObjectIdentifier(object) else { return }
    probe.state.withLock { if !$0.isClosed { $0.hasReachedDefault = true } }
  }

  /// Whether the default implementation was called.
  var foundNoImplementation: Bool { state.withLock { $0.hasReachedDefault } }

  /// The call has returned.
  func close() { state.withLock { $0.isClosed = true } }
}
