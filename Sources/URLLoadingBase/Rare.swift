/// A value that few have, in the space of a pointer: most of what waits, waits without one.
///
/// Setting it anew makes a new box; what is changed often belongs elsewhere.
@frozen
@propertyWrapper
@usableFromInline
package struct Rare<Value> {
  @usableFromInline
  final class Box {
    @usableFromInline let value: Value

    @inlinable
    init(_ value: Value) {
      self.value = value
    }
  }

  @usableFromInline var box: Box?

  @inlinable
  package init(wrappedValue: Value?) {
    box = wrappedValue.map { Box($0) }
  }

  /// Whether there is one, without a look at it.
  @inlinable
  package var isPresent: Bool { box != nil }

  @inlinable
  package var wrappedValue: Value? {
    get { box?.value }
    set { box = newValue.map { Box($0) } }
  }
}

extension Rare: Sendable where Value: Sendable {}
extension Rare.Box: Sendable where Value: Sendable {}
