/// The decoded bytes of a packed source, for one consumer. Consumers share the spool.
struct SpooledDecoder: ByteSource {
  let spool: DecodedSpool
  let packed: any ByteSource

  var length: Int64? { spool.length }
  var cancellation: Cancellation { packed.cancellation }

  func read(into buffer: UnsafeMutableRawBufferPointer, at position: Int64) throws -> Int {
    try spool.read(into: buffer, at: position, source: packed)
  }
}
