/// Bytes in memory.
final class BytesOrigin: FeedOrigin {
  private let bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  func fetch(into buffer: UnsafeMutableRawBufferPointer, at position: Int64) throws -> Int {
    let rest = bytes.dropFirst(Int(position)).prefix(buffer.count)
    buffer.copyBytes(from: rest)
    return rest.count
  }
}
