/// The decoded bytes of a packed source, for one consumer. What is decoded is shared with other consumers, by `spool`.
final class SpooledDecoder: ByteSource {
  private let spool: DecodedSpool
  private let packed: any ByteSource

  init(_ spool: DecodedSpool, packed: any ByteSource) {
    self.spool = spool
    self.packed = packed
  }

  var length: Int64? { spool.length }

  func read(into buffer: UnsafeMutableRawBufferPointer, at position: Int64) throws -> Int {
    if buffer.isEmpty {
      try packed.checkCancellation()
      return 0
    }
    return try spool.read(into: buffer, at: position, source: packed)
  }

  func cancel() {
    packed.cancel()
  }
}
