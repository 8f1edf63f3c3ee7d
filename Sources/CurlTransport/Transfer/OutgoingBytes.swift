/// Bytes that are being sent, at a stable address: after a write that would block, OpenSSL wants the same pointer and length.
final class OutgoingBytes {
  static let capacity = 64 << 10
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity, alignment: 1)
  private var range = 0..<0

  deinit { buffer.deallocate() }

  var isEmpty: Bool { range.isEmpty }
  /// What is left.
  var rest: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: buffer[range]) }

  /// Fills the buffer if it is empty.
  /// - Parameter read: writes bytes, and returns how many; nil for none.
  func fill(_ read: (UnsafeMutableRawBufferPointer) -> Int?) {
    if let count = read(buffer) { range = 0..<min(count, buffer.count) }
  }

  func removeFirst(_ count: Int) { range = min(range.lowerBound + count, range.upperBound)..<range.upperBound }
}
