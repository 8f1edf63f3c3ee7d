/// An optional value in the space of a pointer, for what is nil as a rule.
///
/// Gained a quarter of the memory of a waiting load. Each change allocates: what changes often belongs elsewhere.
@frozen
@propertyWrapper
@usableFromInline
package struct Boxed<Value> {
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

extension Boxed: Equatable where Value: Equatable {
  @inlinable
  package static func == (left: Boxed, right: Boxed) -> Bool {
    left.box === right.box || left.wrappedValue == right.wrappedValue
  }
}

extension Boxed: Sendable where Value: Sendable {}
extension Boxed.Box: Sendable where Value: Sendable {}
