import Synchronization

/// What was made for each combination of dimensions, once.
///
/// Mutable state: `made`, guarded by its lock.
final class Series<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private let made = Mutex<[Key: Value]>([:])
  private let maximum: Int
  private let other: @Sendable (Key) -> Key
  private let make: @Sendable (Key) -> Value

  /// - Parameters:
  ///   - maximum: how many keys there are at most, as far as `other` makes them few.
  ///   - other: the key that stands for one too many.
  ///   - make: makes what a key stands for.
  init(
    maximum: Int, other: @escaping @Sendable (Key) -> Key = { $0 }, make: @escaping @Sendable (Key) -> Value
  ) {
    self.maximum = maximum
    self.other = other
    self.make = make
  }

  subscript(key: Key) -> Value {
    let (known, kept) = made.withLock { made -> (Value?, Key) in
      if let value = made[key] { return (value, key) }
      let kept = made.count < maximum ? key : other(key)
      return (made[kept], kept)
    }
    if let known { return known }
    let new = make(kept)
    return made.withLock { made in
      // Another thread may have been faster.
      if let value = made[kept] { return value }
      made[kept] = new
      return new
    }
  }
}
