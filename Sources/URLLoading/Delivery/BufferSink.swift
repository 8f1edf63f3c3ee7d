internal import URLLoadingBase

/// Collects the body in memory: a large buffer becomes the owner's `Data` without a copy.
///
/// Mutable state: `buffer`, guarded by its lock.
final class BufferSink: BodySink {
  // Safe to share: only reached through the lock.
  private struct Buffer: @unchecked Sendable {
    var start: UnsafeMutableRawPointer?
    var count = 0
    var capacity = 0
    /// The length of the populated part.
    var populated = 0
    /// The memory is a block of ``BodyMemory``, and no allocation of its own.
    var isBlock = false
    /// The length that was announced, of which so much is reserved.
    var announced = 0
    /// The whole body, if it arrived in one piece that may be kept without a copy; then nothing else is set.
    var whole: Data?
  }

  /// Bytes that are reserved at most before any arrive, whatever length a server announces.
  private static let largestReservation = 64 << 20
  /// Bodies up to this length take no ``BodyMemory``.
  private static let smallBody = 4096
  /// Bodies up to this length are copied: a `Data` over memory of its own needs an object besides.
  private static let tinyBody = 64
  /// Bodies from this length on have their pages populated ahead, many at once.
  private static let largeBody = 16 << 20
  /// The distance ahead of the received bytes.
  private static let populatedAhead = 2 << 20

  private let buffer = Locked(Buffer(), rank: .bufferSink)
  let holdsBytes = false

  deinit {
    buffer.withLock { Self.release(&$0) }
  }

  func begin(expectedLength: Int64) {
    guard expectedLength > 0 else { return }
    buffer.withLock { $0.announced = Int(clamping: expectedLength) }
  }

  /// Keeps a piece that, by its announced length, is the whole body.
  func write(_ data: Data) throws -> Bool {
    let isKept = buffer.withLock { buffer in
      guard buffer.count == 0, buffer.whole == nil, data.count == buffer.announced, data.count > Self.smallBody else {
        return false
      }
      buffer.whole = data
      return true
    }
    return isKept ? false : try data.withUnsafeBytes { try write($0) }
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws -> Bool {
    guard let source = bytes.baseAddress else { return false }
    let fits = buffer.withLock { buffer in
      if let whole = buffer.whole {
        buffer.whole = nil
        guard Self.grow(&buffer, to: whole.count + bytes.count), let start = buffer.start else { return false }
        whole.copyBytes(to: start.assumingMemoryBound(to: UInt8.self), count: whole.count)
        buffer.count = whole.count
      }
      let reserved = min(buffer.announced, Self.largestReservation)
      if buffer.start == nil, reserved > 0 { _ = Self.grow(&buffer, to: reserved) }
      let needed = buffer.count + bytes.count
      if needed > buffer.capacity {
        guard Self.grow(&buffer, to: max(needed, buffer.capacity * 2, Self.smallBody)) || Self.grow(&buffer, to: needed)
        else { return false }
      }
      Self.populate(&buffer, upTo: needed)
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
      if let whole = buffer.whole {
        buffer.whole = nil
        return whole
      }
      guard let start = buffer.start else { return Data() }
      // A block is too much for a small body.
      if buffer.count <= (buffer.isBlock ? Self.smallBody : Self.tinyBody) {
        defer { Self.release(&buffer) }
        return Data(bytes: start, count: buffer.count)
      }
      defer { buffer = Buffer() }
      if buffer.isBlock {
        let block = BodyMemory.Block(start: start, capacity: buffer.capacity)
        return Data(
          bytesNoCopy: start, count: buffer.count, deallocator: .custom { _, _ in BodyMemory.shared.recycle(block) })
      }
      let fitted = buffer.capacity > buffer.count ? realloc(start, buffer.count) ?? start : start
      return Data(bytesNoCopy: fitted, count: buffer.count, deallocator: .free)
    }
  }

  private static func grow(_ buffer: inout Buffer, to capacity: Int) -> Bool {
    guard capacity > buffer.capacity else { return true }
    if capacity > smallBody, capacity <= BodyMemory.largestBlock {
      guard let block = BodyMemory.shared.take(atLeast: capacity) else { return false }
      move(&buffer, to: block.start, capacity: block.capacity, isBlock: true)
      return true
    }
    if buffer.isBlock {
      guard let start = malloc(capacity) else { return false }
      move(&buffer, to: start, capacity: capacity, isBlock: false)
      return true
    }
    // realloc moves large blocks by remapping pages, so that the body is never in memory twice.
    guard let moved = realloc(buffer.start, capacity) else { return false }
    buffer.start = moved
    buffer.capacity = capacity
    return true
  }

  /// Populates the pages of a large body ahead of its bytes: faulting them in one by one takes longer than copying the bytes.
  private static func populate(_ buffer: inout Buffer, upTo count: Int) {
    guard buffer.capacity >= largeBody, count > buffer.populated, let start = buffer.start else { return }
    let address = Int(bitPattern: start)
    let pageMask = ~(Int(getpagesize()) - 1)
    let first = (address + max(buffer.populated, buffer.count)) & pageMask
    let end = (address + min(count + populatedAhead, buffer.capacity)) & pageMask
    buffer.populated = end - address
    // Since Linux 5.14; older systems refuse it, and fault the pages in.
    if end > first { _ = madvise(UnsafeMutableRawPointer(bitPattern: first), end - first, Int32(MADV_POPULATE_WRITE)) }
  }

  private static func move(
    _ buffer: inout Buffer, to start: UnsafeMutableRawPointer, capacity: Int, isBlock: Bool
  ) {
    let count = buffer.count
    if let old = buffer.start { start.copyMemory(from: old, byteCount: count) }
    let announced = buffer.announced
    release(&buffer)
    buffer = Buffer(start: start, count: count, capacity: capacity, isBlock: isBlock, announced: announced)
  }

  private static func release(_ buffer: inout Buffer) {
    defer { buffer = Buffer() }
    guard let start = buffer.start else { return }
    if buffer.isBlock {
      BodyMemory.shared.recycle(BodyMemory.Block(start: start, capacity: buffer.capacity))
    } else {
      free(start)
    }
  }
}
