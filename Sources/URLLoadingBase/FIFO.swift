/// A queue of which elements leave in the order in which they came. Both ends take constant time on average.
///
/// Inlinable: specialized for its elements in the modules that use it, it takes a third of the time.
@frozen
@usableFromInline
package struct FIFO<Element> {
  @usableFromInline var elements: [Element?] = []
  @usableFromInline var head = 0

  @inlinable
  package init() {}

  @inlinable
  package var isEmpty: Bool { head == elements.count }
  @inlinable
  package var count: Int { elements.count - head }
  @inlinable
  package var first: Element? { isEmpty ? nil : elements[head] }

  @inlinable
  package mutating func append(_ element: Element) { elements.append(element) }

  /// Puts another element in the place of the first; does nothing where there is none.
  @inlinable
  package mutating func replaceFirst(by element: Element) {
    if !isEmpty { elements[head] = element }
  }

  @inlinable
  package mutating func popFirst() -> Element? {
    guard !isEmpty else { return nil }
    let element = elements[head].take()
    head += 1
    if head == elements.count {
      elements.removeAll(keepingCapacity: elements.capacity <= 64)
      head = 0
    } else if head >= 64, head * 2 >= elements.count {
      elements.removeFirst(head)
      head = 0
    }
    return element
  }

  /// Takes out all elements that fit, in their order.
  @inlinable
  package mutating func removeAll(where fits: (Element) -> Bool) -> [Element] {
    var taken: [Element] = []
    var left = FIFO()
    while let element = popFirst() {
      if fits(element) { taken.append(element) } else { left.append(element) }
    }
    self = left
    return taken
  }

  /// Takes out the first element that fits; nil where none does.
  @inlinable
  package mutating func removeFirst(where fits: (Element) -> Bool) -> Element? {
    guard let index = elements.indices.dropFirst(head).first(where: { elements[$0].map(fits) == true }) else {
      return nil
    }
    return elements.remove(at: index)
  }
}

extension FIFO: Sendable where Element: Sendable {}
