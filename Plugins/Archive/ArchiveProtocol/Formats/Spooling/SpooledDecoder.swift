/// The decoded bytes of a packed source, for one consumer. Consumers share the spool.
final class SpooledDecoder: ByteSource {
  private let spool: DecodedSpool
  private let packed: any ByteSource

  init(_ spool: DecodedSpool, packed: any ByteSource) {
    self.spool = spool
    self.packed = packed
  }

  var length: Int64? { spool.length }
  var cancellation: Cancellation { packed.cancellation }

  func read(into buffer: UnsafeMutableRawBufferPointer, at position: Int64) throws -> Int {
    try spool.read(into: buffer, at: position, source: packed)
  }
}
