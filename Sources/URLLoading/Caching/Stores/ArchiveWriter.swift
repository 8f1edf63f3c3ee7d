/// Writes values one after another, texts and bytes with their length before them, numbers in eight bytes, little end first.
struct ArchiveWriter {
  private(set) var data = Data()

  mutating func byte(_ value: UInt8) { data.append(value) }

  mutating func number(_ value: UInt64) {
    withUnsafeBytes(of: value.littleEndian) { data.append(contentsOf: $0) }
  }

  mutating func text(_ value: String) {
    number(UInt64(value.utf8.count))
    data.append(contentsOf: value.utf8)
  }

  mutating func bytes(_ value: Data) {
    number(UInt64(value.count))
    data.append(value)
  }
}

/// Reads what ``ArchiveWriter`` has written. Each value is nil where the bytes end too early; nothing is made of lengths that are wrong.
struct ArchiveReader {
  private var rest: Data

  init(_ data: Data) { rest = data }

  var isAtEnd: Bool { rest.isEmpty }

  mutating func byte() -> UInt8? { rest.popFirst() }

  mutating func number() -> UInt64? {
    guard rest.count >= 8 else { return nil }
    defer { rest = rest.dropFirst(8) }
    return rest.prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// A number of things that follow.
  mutating func count() -> Int? { number().flatMap(Int.init(exactly:)) }

  mutating func date() -> Date? {
    guard let seconds = number().map(Double.init(bitPattern:)), seconds.isFinite else { return nil }
    return Date(timeIntervalSince1970: seconds)
  }

  mutating func bytes() -> Data? {
    guard let count = count(), count <= rest.count else { return nil }
    defer { rest = rest.dropFirst(count) }
    return Data(rest.prefix(count))
  }

  mutating func text() -> String? { bytes().flatMap { String(data: $0, encoding: .utf8) } }
}
