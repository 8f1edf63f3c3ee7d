/// A body whose bytes have to add up to a sum, as in cpio's `crc` format.
final class ChecksummedBody: MemberBody {
  private let body: any MemberBody
  private let expected: UInt32?
  private var sum: UInt32 = 0

  /// - Parameter sum: nil where not all bytes are read.
  init(_ body: any MemberBody, sum: UInt32?) {
    self.body = body
    expected = sum
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    let count = try body.read(into: buffer)
    for byte in buffer[..<count] { sum &+= UInt32(byte) }
    if count == 0, !buffer.isEmpty, let expected, sum != expected {
      throw ArchiveError.damaged("the member's bytes do not add up to its checksum")
    }
    return count
  }
}
