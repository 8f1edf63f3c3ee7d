internal import CurlTransport

/// Collects the body in memory, once: the bytes that it gathers become the `Data` that the owner gets.
///
/// Mutable state: `buffer`, guarded by its lock.
final class BufferSink: BodySink {
  // Safe to share: only reached through the lock.
  private struct Buffer: @unchecked Sendable {
    var start: UnsafeMutableRawPointer?
    var count = 0
    var capacity = 0
  }

  /// A server may announce what it likes; no more than this is set aside before bytes come.
  private static let largestReservation = 64 << 20

  private let buffer = Locked(Buffer())
  let holdsBytes = false

  deinit {
    buffer.withLock { free($0.start) }
  }

  func begin(expectedLength: Int64) {
    guard expectedLength > 0 else { return }
    buffer.withLock { buffer in
      _ = Self.grow(&buffer, to: min(Int(clamping: expectedLength), Self.largestReservation))
    }
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws -> Bool {
    guard let source = bytes.baseAddress else { return false }
    let fits = buffer.withLock { buffer in
      let needed = buffer.count + bytes.count
      if needed > buffer.capacity {
        guard Self.grow(&buffer, to: max(needed, buffer.capacity * 2, 4096)) || Self.grow(&buffer, to: needed)
        else { return false }
      }
      buffer.start?.advanced(by: buffer.count).copyMemory(from: source, byteCount: bytes.count)
      buffer.count = needed
      return true
    }
    guard fits else { throw POSIXError(.ENOMEM) }
    return false
  }

  /// The bytes, which leave the sink.
  func take() -> Data {
    buffer.withLock { buffer in
      defer { buffer = Buffer() }
      guard let start = buffer.start else { return Data() }
      // Small bodies live inside of Data; large ones hand their memory over.
      if buffer.count <= 4096 {
        defer { free(start) }
        return Data(bytes: start, count: buffer.count)
      }
      let fitted = buffer.capacity > buffer.count ? realloc(start, buffer.count) ?? start : start
      return Data(bytesNoCopy: fitted, count: buffer.count, deallocator: .free)
    }
  }

  private static func grow(_ buffer: inout Buffer, to capacity: Int) -> Bool {
    guard capacity > buffer.capacity else { return true }
    // realloc moves large blocks by remapping pages, so that the body is never in memory twice.
    guard let moved = realloc(buffer.start, capacity) else { return false }
    buffer.start = moved
    buffer.capacity = capacity
    return true
  }
}
