/// Bytes in the order in which they came: taken off the front, added to the end, each in constant time on average.
package struct ByteQueue: Sendable {
  private var bytes: [UInt8] = []
  private var start = 0

  package init() {}

  package var count: Int { bytes.count - start }
  package var isEmpty: Bool { start == bytes.count }

  package mutating func append(_ more: UnsafeRawBufferPointer) {
    bytes.append(contentsOf: more)
  }

  /// Calls `body` with all of them.
  package func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[start...])) }
  }

  package mutating func removeFirst(_ count: Int) {
    start += count
    if isEmpty {
      // What a burst has taken is given back.
      bytes.removeAll(keepingCapacity: bytes.capacity <= Self.keptCapacity)
      start = 0
    } else if start >= Self.keptCapacity, start * 2 >= bytes.count {
      bytes.removeFirst(start)
      start = 0
    }
  }

  package mutating func removeAll() {
    bytes = []
    start = 0
  }

  private static let keptCapacity = 4 << 10
}
