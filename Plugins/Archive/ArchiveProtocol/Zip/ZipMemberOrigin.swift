/// An archive of one member, which libarchive reads as a stream: a header, the member's packed bytes, the archive's end.
final class ZipMemberOrigin: FeedOrigin {
  private var head: ArraySlice<UInt8>
  private let bytes: ZipPackedBytes
  private var end: ArraySlice<UInt8>

  init(_ header: ZipVirtualHeader, _ bytes: ZipPackedBytes) {
    head = header.bytes()[...]
    self.bytes = bytes
    end = ZipVirtualHeader.endBytes[...]
  }

  func fetch(into buffer: UnsafeMutableRawBufferPointer, at position: Int64) throws -> Int {
    if !head.isEmpty { return Self.take(&head, into: buffer) }
    let count = try bytes.read(into: buffer)
    return count > 0 ? count : Self.take(&end, into: buffer)
  }

  private static func take(_ bytes: inout ArraySlice<UInt8>, into buffer: UnsafeMutableRawBufferPointer) -> Int {
    let taken = bytes.prefix(buffer.count)
    buffer.copyBytes(from: taken)
    bytes = bytes.dropFirst(taken.count)
    return taken.count
  }
}
