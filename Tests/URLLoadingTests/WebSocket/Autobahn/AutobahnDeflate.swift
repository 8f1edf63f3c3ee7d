import Foundation
import URLLoadingCZlib

/// The suite's server compresses with zlib itself, and at its default level: nothing of the package's own is between (RFC 7692).
final class AutobahnDeflater {
  // On the heap: zlib keeps its address.
  private let stream: UnsafeMutablePointer<z_stream>
  private let keepsContext: Bool

  /// - Returns: nil where zlib cannot do with the window.
  init?(windowBits: Int, keepsContext: Bool) {
    self.keepsContext = keepsContext
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    let size = Int32(MemoryLayout<z_stream>.size)
    guard
      deflateInit2_(
        stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, Int32(-windowBits), 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size)
        == Z_OK
    else { return nil }
  }

  deinit {
    deflateEnd(stream)
    stream.deallocate()
  }

  /// - Returns: a message's payload; nil where zlib fails.
  func compress(_ message: Data) -> Data? {
    var input = [UInt8](message)
    // A flush adds a few bytes to what zlib takes at most.
    var output = [UInt8](repeating: 0, count: Int(deflateBound(stream, UInt(input.count))) + 64)
    let capacity = output.count
    let count = input.withUnsafeMutableBufferPointer { input in
      output.withUnsafeMutableBufferPointer { output -> Int? in
        stream.pointee.next_in = input.baseAddress
        stream.pointee.avail_in = UInt32(input.count)
        stream.pointee.next_out = output.baseAddress
        stream.pointee.avail_out = UInt32(capacity)
        guard deflate(stream, Z_SYNC_FLUSH) == Z_OK, stream.pointee.avail_out > 0 else { return nil }
        return capacity - Int(stream.pointee.avail_out)
      }
    }
    if !keepsContext { deflateReset(stream) }
    guard let count, count > 4, output[count - 4..<count] == [0x00, 0x00, 0xff, 0xff] else { return nil }
    return Data(output[..<(count - 4)])
  }
}

/// Reads a client's messages with the window that was agreed on, and no larger one: zlib refuses what refers further back.
final class AutobahnInflater {
  // On the heap: zlib keeps its address.
  private let stream: UnsafeMutablePointer<z_stream>
  private let keepsContext: Bool

  /// - Returns: nil where zlib cannot do with the window.
  init?(windowBits: Int, keepsContext: Bool) {
    self.keepsContext = keepsContext
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    guard inflateInit2_(stream, Int32(-windowBits), ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
      return nil
    }
  }

  deinit {
    inflateEnd(stream)
    stream.deallocate()
  }

  /// - Returns: a message; nil where the payload is not one.
  func decompress(_ payload: Data) -> Data? {
    var input = [UInt8](payload) + [0x00, 0x00, 0xff, 0xff]
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    var message = Data()
    let isWhole = input.withUnsafeMutableBufferPointer { input in
      stream.pointee.next_in = input.baseAddress
      stream.pointee.avail_in = UInt32(input.count)
      repeat {
        let count = buffer.withUnsafeMutableBufferPointer { buffer -> Int? in
          stream.pointee.next_out = buffer.baseAddress
          stream.pointee.avail_out = UInt32(buffer.count)
          let code = inflate(stream, Z_SYNC_FLUSH)
          return code == Z_OK || code == Z_BUF_ERROR ? buffer.count - Int(stream.pointee.avail_out) : nil
        }
        guard let count else { return false }
        message.append(contentsOf: buffer[..<count])
      } while stream.pointee.avail_out == 0
      return stream.pointee.avail_in == 0
    }
    // A new stream each time: nothing before it may be referred to.
    if !keepsContext { inflateReset(stream) }
    return isWhole ? message : nil
  }
}
