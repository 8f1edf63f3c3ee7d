/// A member of a ``SolidPass``.
final class SolidBody: MemberBody {
  private let pass: SolidPass
  private let ordinal: Int
  private let checksum: UInt32?
  private let source: any ByteSource
  private var position: Int64

  init(pass: SolidPass, ordinal: Int, checksum: UInt32?, offset: Int64, source: any ByteSource) {
    self.pass = pass
    self.ordinal = ordinal
    self.checksum = checksum
    self.source = source
    position = max(offset, 0)
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    let count = try SourceFailure.unwrapping {
      try pass.read(ordinal, at: position, into: buffer, source: source, checksum: checksum)
    }
    position += Int64(count)
    return count
  }
}
