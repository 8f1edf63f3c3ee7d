/// Reads what ``CompactWriter`` has written. Each value is nil where the bytes end too early; nothing is made of lengths that are wrong.
package struct CompactReader {
  private let all: ArraySlice<UInt8>
  private var position: Int

  package init(_ data: Data) { self.init([UInt8](data)[...]) }

  package init(_ bytes: ArraySlice<UInt8>) {
    all = bytes
    position = bytes.startIndex
  }

  package var isAtEnd: Bool { position == all.endIndex }

  package mutating func byte() -> UInt8? {
    guard position < all.endIndex else { return nil }
    defer { position += 1 }
    return all[position]
  }

  package mutating func flag() -> Bool? {
    switch byte() {
    case 0: false
    case 1: true
    default: nil
    }
  }

  package mutating func number() -> UInt64? {
    take(8).map { bytes in
      bytes.withUnsafeBytes { UInt64(littleEndian: $0.loadUnaligned(as: UInt64.self)) }
    }
  }

  /// Nil also for one that the type has no room for.
  package mutating func integer<Value: FixedWidthInteger>(_ type: Value.Type) -> Value? {
    number().flatMap { Value(exactly: Int64(bitPattern: $0)) }
  }

  /// A number of things that follow.
  package mutating func count() -> Int? { number().flatMap { Int(exactly: $0) } }

  package mutating func double() -> Double? { number().map { Double(bitPattern: $0) } }

  package mutating func date() -> Date? {
    guard let seconds = double(), seconds.isFinite else { return nil }
    return Date(timeIntervalSince1970: seconds)
  }

  /// What ``CompactWriter/moment(_:)`` has written.
  package mutating func moment() -> Date? {
    guard let seconds = double(), seconds.isFinite else { return nil }
    return Date(timeIntervalSinceReferenceDate: seconds)
  }

  package mutating func bytes() -> Data? { count().flatMap { take($0) }.map { Data($0) } }

  package mutating func text() -> String? {
    count().flatMap { take($0) }.flatMap { String(validating: $0, as: UTF8.self) }
  }

  /// What may be missing: nil for what is damaged, a nil inside for nothing.
  package mutating func optional<Value>(_ read: (inout CompactReader) -> Value?) -> Value?? {
    guard let isThere = flag() else { return nil }
    guard isThere else { return .some(nil) }
    guard let value = read(&self) else { return nil }
    return .some(value)
  }

  /// Things with their number before them. Each has a byte at least, so that a wrong number takes no memory.
  package mutating func list<Element>(
    atMost most: Int = .max, _ read: (inout CompactReader) -> Element?
  ) -> [Element]? {
    guard let count = count(), count <= min(most, all.endIndex - position) else { return nil }
    var values: [Element] = []
    values.reserveCapacity(count)
    for _ in 0..<count {
      guard let value = read(&self) else { return nil }
      values.append(value)
    }
    return values
  }

  private mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
    guard count >= 0, count <= all.endIndex - position else { return nil }
    defer { position += count }
    return all[position..<position + count]
  }
}
