/// Reads what ``ArchiveWriter`` has written. Each value is nil where the bytes end too early; nothing is made of lengths that are wrong.
struct ArchiveReader {
  private let all: [UInt8]
  private var position = 0

  init(_ data: Data) { all = [UInt8](data) }

  var isAtEnd: Bool { position == all.count }

  mutating func byte() -> UInt8? { take(1)?.first }

  mutating func number() -> UInt64? {
    take(8).map { bytes in
      bytes.withUnsafeBytes { UInt64(littleEndian: $0.loadUnaligned(as: UInt64.self)) }
    }
  }

  /// A number of things that follow.
  mutating func count() -> Int? { number().flatMap(Int.init(exactly:)) }

  mutating func date() -> Date? {
    guard let seconds = number().map(Double.init(bitPattern:)), seconds.isFinite else { return nil }
    return Date(timeIntervalSince1970: seconds)
  }

  mutating func bytes() -> Data? { count().flatMap { take($0) }.map { Data($0) } }

  mutating func text() -> String? { count().flatMap { take($0) }.flatMap { String(validating: $0, as: UTF8.self) } }

  private mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
    guard count >= 0, count <= all.count - position else { return nil }
    defer { position += count }
    return all[position..<position + count]
  }
}
