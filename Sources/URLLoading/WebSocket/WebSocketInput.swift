/// Bytes of a connection that were not looked at yet.
struct WebSocketInput {
  private var bytes: [UInt8] = []
  private var start = 0

  var isEmpty: Bool { start == bytes.count }

  mutating func append(_ more: UnsafeRawBufferPointer) {
    bytes.append(contentsOf: more)
  }

  /// Calls `body` with all of them.
  func read<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[start...])) }
  }

  mutating func removeFirst(_ count: Int) {
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

  mutating func removeAll() {
    bytes = []
    start = 0
  }

  private static let keptCapacity = 4 << 10
}
