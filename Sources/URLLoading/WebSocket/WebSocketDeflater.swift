internal import URLLoadingCZlib

/// Compresses messages for a WebSocket connection (RFC 7692, section 7.2.1).
// Belongs to one WebSocketFrameWriter, whose owner guards it.
final class WebSocketDeflater {
  // On the heap: zlib keeps its address.
  private let stream: UnsafeMutablePointer<z_stream>
  private let buffer: UnsafeMutableRawBufferPointer
  private let keepsContext: Bool

  private static let bufferSize = 8 << 10
  /// zlib's fastest level: nearly as small for the JSON that most messages are, for a third of the time.
  private static let level: Int32 = 1
  /// Shorter messages, in bytes, go as they are.
  static let shortestMessage = 64

  /// - Returns: nil where there is no memory for it, or zlib cannot do with a window so small: messages may go as they are.
  init?(_ compression: WebSocketCompression) {
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    buffer = .allocate(byteCount: Self.bufferSize, alignment: 16)
    keepsContext = compression.clientKeepsContext
    guard
      // A negative number: without zlib's header.
      deflateInit2_(
        stream, Self.level, Z_DEFLATED, Int32(-compression.clientWindowBits), 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
        Int32(MemoryLayout<z_stream>.size)) == Z_OK
    else { return nil }
  }

  deinit {
    deflateEnd(stream)
    stream.deallocate()
    buffer.deallocate()
  }

  /// Compresses a message that is not empty.
  /// - Returns: nil where zlib fails.
  func deflate(_ message: UnsafeRawBufferPointer) -> Data? {
    var result = Data()
    var rest = message
    repeat {
      // zlib counts in 32 bits.
      let piece = UnsafeRawBufferPointer(rebasing: rest.prefix(1 << 30))
      rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(piece.count))
      stream.pointee.next_in = piece.bindMemory(to: UInt8.self).baseAddress.map { UnsafeMutablePointer(mutating: $0) }
      stream.pointee.avail_in = UInt32(piece.count)
      repeat {
        stream.pointee.next_out = buffer.bindMemory(to: UInt8.self).baseAddress
        stream.pointee.avail_out = UInt32(buffer.count)
        let code = URLLoadingCZlib.deflate(stream, rest.isEmpty ? Z_SYNC_FLUSH : Z_NO_FLUSH)
        guard code == Z_OK || code == Z_BUF_ERROR else { return nil }
        result.append(
          contentsOf: UnsafeRawBufferPointer(rebasing: buffer[..<(buffer.count - Int(stream.pointee.avail_out))]))
      } while stream.pointee.avail_out == 0
    } while !rest.isEmpty
    if !keepsContext { deflateReset(stream) }
    // An empty block without compression ends each message, and is left out but for its head.
    guard result.suffix(4) == Data([0x00, 0x00, 0xff, 0xff]) else { return nil }
    result.removeLast(4)
    return result
  }
}
