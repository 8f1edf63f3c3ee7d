import Glibc

/// The lines of fields while they come in, in memory of its own.
///
/// Only copies of bytes: what an array does besides for every line takes longer than libcurl needs to find it.
struct GatheredLines: ~Copyable {
  /// What a usual head needs, at once.
  private static let usualCapacity = 512
  /// More is not kept: many connections wait for long.
  private static let keptCapacity = 2048

  private var start: UnsafeMutableRawPointer?
  private var capacity = 0
  private var end = 0
  /// How many lines there are; folded ones belong to the line before.
  private(set) var count = 0

  deinit { free(start) }

  /// Adds a line, with its line end or without.
  ///
  /// - Returns: whether there was memory for it.
  mutating func append(_ line: UnsafeRawBufferPointer) -> Bool {
    guard makeRoom(for: line.count + 1) else { return false }
    write(line)
    if line.last != 10 { write(10) }
    count += 1
    return true
  }

  /// Goes on with the last line, if there is one.
  ///
  /// - Returns: whether there was memory for it.
  mutating func appendFolded(_ value: UnsafeRawBufferPointer) -> Bool {
    guard count > 0 else { return true }
    guard makeRoom(for: value.count + 2) else { return false }
    let bytes = UnsafeRawBufferPointer(start: start, count: end)
    while end > 0, bytes[end - 1] == 10 || bytes[end - 1] == 13 || ResponseHeadParser.isBlank(bytes[end - 1]) {
      end -= 1
    }
    write(32)
    write(value)
    write(10)
    return true
  }

  /// Forgets the lines.
  mutating func removeAll() {
    end = 0
    count = 0
    guard capacity > Self.keptCapacity else { return }
    free(start)
    start = nil
    capacity = 0
  }

  /// The lines, which are forgotten here.
  mutating func take() -> FieldLines {
    defer { removeAll() }
    return FieldLines(UnsafeRawBufferPointer(start: start, count: end), count: count)
  }

  // What is written has room.

  private mutating func write(_ byte: UInt8) {
    withUnsafeBytes(of: byte) { write($0) }
  }

  private mutating func write(_ bytes: UnsafeRawBufferPointer) {
    guard let start, let source = bytes.baseAddress else { return }
    memcpy(start + end, source, bytes.count)
    end += bytes.count
  }

  private mutating func makeRoom(for size: Int) -> Bool {
    guard end + size > capacity else { return true }
    let larger = max(Self.usualCapacity, 2 * capacity, end + size)
    guard let moved = realloc(start, larger) else { return false }
    start = moved
    capacity = larger
    return true
  }
}
