/// A member that is not packed. The checksum is verified when all of it is read; of a part only the length is.
final class ZipStoredBody: MemberBody {
  private let bytes: ZipPackedBytes
  /// Nil where the checksum is not verified.
  private let expected: UInt32?
  private var checksum = RunningChecksum()
  /// Bytes to read and drop first.
  private var toDiscard: Int64

  /// - Parameters:
  ///   - bytes: those of the member, from its first.
  ///   - canSkip: whether bytes can be skipped without being read, which those of an encrypted member cannot.
  init(_ bytes: ZipPackedBytes, from offset: Int64, checksum: UInt32?, canSkip: Bool) {
    self.bytes = bytes
    if canSkip, offset > 0 {
      bytes.skip(offset)
      toDiscard = 0
      expected = nil
    } else {
      toDiscard = offset
      expected = checksum
    }
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    guard !buffer.isEmpty else { return 0 }
    while toDiscard > 0 {
      let count = Int(min(toDiscard, Int64(buffer.count)))
      let read = try take(UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]))
      if read == 0 { return 0 }
      toDiscard -= Int64(read)
    }
    return try take(buffer)
  }

  private func take(_ buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    let count = try bytes.read(into: buffer)
    if expected != nil {
      checksum.add(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      if bytes.remaining == 0 { try checksum.check(expected) }
    }
    return count
  }
}
