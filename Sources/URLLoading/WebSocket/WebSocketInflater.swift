internal import URLLoadingCZlib

/// Decompresses the messages of a WebSocket connection (RFC 7692, section 7.2.2).
// Belongs to one WebSocketMessageReader, whose owner guards it.
final class WebSocketInflater {
  // On the heap: zlib keeps its address.
  private let stream: UnsafeMutablePointer<z_stream>
  private let buffer: UnsafeMutableRawBufferPointer
  private let keepsContext: Bool
  /// Blocks of the message that said that they were the last.
  private var finalBlocks = 0
  private var window: UnsafeMutablePointer<UInt8>?

  private static let bufferSize = 8 << 10
  /// Each costs two copies of the window: no sender has many in a message, and one that has only these would keep the thread busy.
  private static let mostFinalBlocks = 100
  /// What the sender has left out at the end of each message.
  private static let tail: [UInt8] = [0x00, 0x00, 0xff, 0xff]

  /// - Returns: nil where there is no memory for it.
  init?(_ compression: WebSocketCompression) {
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    buffer = .allocate(byteCount: Self.bufferSize, alignment: 16)
    keepsContext = compression.serverKeepsContext
    // A negative number: without zlib's header. 8 is a window of 256 bytes, which zlib reads with one of 512.
    let bits = Int32(max(9, compression.serverWindowBits))
    guard inflateInit2_(stream, -bits, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else { return nil }
  }

  deinit {
    inflateEnd(stream)
    stream.deallocate()
    buffer.deallocate()
    window?.deallocate()
  }

  /// Decompresses a piece of a message, and calls `take` with what it comes to.
  func inflate(
    _ bytes: UnsafeRawBufferPointer, _ take: (UnsafeRawBufferPointer) throws(WebSocketFault) -> Void
  ) throws(WebSocketFault) {
    guard let start = bytes.bindMemory(to: UInt8.self).baseAddress, !bytes.isEmpty else { return }
    stream.pointee.next_in = UnsafeMutablePointer(mutating: start)
    stream.pointee.avail_in = UInt32(clamping: bytes.count)
    repeat {
      stream.pointee.next_out = buffer.bindMemory(to: UInt8.self).baseAddress
      stream.pointee.avail_out = UInt32(buffer.count)
      let result = URLLoadingCZlib.inflate(stream, Z_SYNC_FLUSH)
      let count = buffer.count - Int(stream.pointee.avail_out)
      switch result {
      case Z_OK, Z_STREAM_END, Z_BUF_ERROR:
        if count > 0 { try take(UnsafeRawBufferPointer(rebasing: buffer[..<count])) }
        if result == Z_STREAM_END { try goOn() }
      default:
        // What comes before the fault counts, however the bytes were cut.
        if count > 0 { try take(UnsafeRawBufferPointer(rebasing: buffer[..<count])) }
        throw Self.fault
      }
      // There is more to write only where the buffer is full.
    } while stream.pointee.avail_in > 0 || stream.pointee.avail_out == 0
  }

  /// The message ends.
  func end(_ take: (UnsafeRawBufferPointer) throws(WebSocketFault) -> Void) throws(WebSocketFault) {
    let tail = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.tail.count, alignment: 1)
    defer { tail.deallocate() }
    tail.copyBytes(from: Self.tail)
    try inflate(UnsafeRawBufferPointer(tail), take)
    // What ends in the middle of a block swallows the tail.
    guard stream.pointee.data_type & 0x80 != 0, stream.pointee.data_type & 0x3f == 0 else { throw Self.fault }
    if !keepsContext { inflateReset(stream) }
    finalBlocks = 0
  }

  /// A block said that it was the last (section 7.2.3.5): what follows begins a new stream, and refers to what was before.
  private func goOn() throws(WebSocketFault) {
    var length: UInt32 = 0
    finalBlocks += 1
    guard finalBlocks <= Self.mostFinalBlocks else {
      throw WebSocketFault(
        1007, "ended more than \(Self.mostFinalBlocks) streams in a message (RFC 7692, section 7.2.3.5)")
    }
    let window = window ?? .allocate(capacity: 1 << 15)
    self.window = window
    let rest = (stream.pointee.next_in, stream.pointee.avail_in)
    let hasRoom = stream.pointee.avail_out > 0
    guard inflateGetDictionary(stream, window, &length) == Z_OK, inflateReset(stream) == Z_OK,
      inflateSetDictionary(stream, window, length) == Z_OK
    else { throw Self.fault }
    (stream.pointee.next_in, stream.pointee.avail_in) = rest
    // Nothing is left to be written of a stream that has ended.
    if !hasRoom { stream.pointee.avail_out = 1 }
  }

  private static let fault = WebSocketFault(
    1007, "sent a message that cannot be decompressed (RFC 7692, section 7.2.2)")
}
