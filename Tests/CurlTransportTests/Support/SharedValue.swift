import URLLoadingBase

/// A guarded value that many hold: `Locked` belongs to one place.
///
/// Mutable state: the value, guarded by its lock.
final class SharedValue<Value>: Sendable {
  private let value: Locked<Value>

  init(_ value: consuming sending Value) {
    self.value = Locked(value)
  }

  func withLock<Result>(_ body: (inout sending Value) throws -> sending Result) rethrows -> sending Result {
    try value.withLock(body)
  }
}
