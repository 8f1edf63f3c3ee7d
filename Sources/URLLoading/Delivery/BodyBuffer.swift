internal import URLLoadingBase

/// A body in memory, as it comes: a large buffer becomes the owner's `Data` without a copy.
///
/// It does not release its memory by itself: whoever has it calls ``release()`` or ``take()`` at the end.
// Safe to share: whoever has it guards it.
struct BodyBuffer: @unchecked Sendable {
  private var start: UnsafeMutableRawPointer?
  private(set) var count = 0
  private var capacity = 0
  /// The length of the populated part.
  private var populated = 0
  /// The memory is a block of ``BodyMemory``, and no allocation of its own.
  private var isBlock = false
  /// The length that was announced, of which so much is reserved.
  private var announced = 0
  /// The whole body, if it arrived in one piece that may be kept without a copy; then nothing else is set.
  private var whole: Data?

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

  /// - Parameter length: what was announced; negative where nothing was.
  mutating func begin(expectedLength length: Int64) {
    if length > 0 { announced = Int(clamping: length) }
  }

  /// Keeps a piece without a copy that, by its announced length, is the whole body.
  mutating func keep(_ data: Data) -> Bool {
    guard count == 0, whole == nil, data.count == announced, data.count > Self.smallBody else { return false }
    whole = data
    return true
  }

  /// Appends bytes.
  /// - Returns: false where there is no memory for them.
  mutating func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard let source = bytes.baseAddress else { return true }
    if let whole {
      self.whole = nil
      guard grow(to: whole.count + bytes.count), let start else { return false }
      whole.copyBytes(to: start.assumingMemoryBound(to: UInt8.self), count: whole.count)
      count = whole.count
    }
    let reserved = min(announced, Self.largestReservation)
    if start == nil, reserved > 0 { _ = grow(to: reserved) }
    let needed = count + bytes.count
    if needed > capacity {
      guard grow(to: max(needed, capacity * 2, Self.smallBody)) || grow(to: needed) else { return false }
    }
    populate(upTo: needed)
    start?.advanced(by: count).copyMemory(from: source, byteCount: bytes.count)
    count = needed
    return true
  }

  /// The bytes, which leave the buffer.
  mutating func take() -> Data {
    if let whole {
      self.whole = nil
      return whole
    }
    guard let start else { return Data() }
    // A block is too much for a small body.
    if count <= (isBlock ? Self.smallBody : Self.tinyBody) {
      defer { release() }
      return Data(bytes: start, count: count)
    }
    defer { self = BodyBuffer() }
    if isBlock {
      let block = BodyMemory.Block(start: start, capacity: capacity)
      return Data(bytesNoCopy: start, count: count, deallocator: .custom { _, _ in BodyMemory.shared.recycle(block) })
    }
    let fitted = capacity > count ? realloc(start, count) ?? start : start
    return Data(bytesNoCopy: fitted, count: count, deallocator: .free)
  }

  mutating func release() {
    defer { self = BodyBuffer() }
    guard let start else { return }
    if isBlock {
      BodyMemory.shared.recycle(BodyMemory.Block(start: start, capacity: capacity))
    } else {
      free(start)
    }
  }

  private mutating func grow(to wanted: Int) -> Bool {
    guard wanted > capacity else { return true }
    if wanted > Self.smallBody, wanted <= BodyMemory.largestBlock {
      guard let block = BodyMemory.shared.take(atLeast: wanted) else { return false }
      move(to: block.start, capacity: block.capacity, isBlock: true)
      return true
    }
    if isBlock {
      guard let start = malloc(wanted) else { return false }
      move(to: start, capacity: wanted, isBlock: false)
      return true
    }
    // realloc moves large blocks by remapping pages, so that the body is never in memory twice.
    guard let moved = realloc(start, wanted) else { return false }
    start = moved
    capacity = wanted
    return true
  }

  private mutating func move(to start: UnsafeMutableRawPointer, capacity: Int, isBlock: Bool) {
    let (count, announced) = (count, announced)
    if let old = self.start { start.copyMemory(from: old, byteCount: count) }
    release()
    (self.start, self.count, self.capacity, self.isBlock, self.announced) = (start, count, capacity, isBlock, announced)
  }

  /// Populates the pages of a large body ahead of its bytes: faulting them in one by one takes longer than copying the bytes.
  private mutating func populate(upTo count: Int) {
    guard capacity >= Self.largeBody, count > populated, let start else { return }
    let address = Int(bitPattern: start)
    let pageMask = ~(Int(getpagesize()) - 1)
    let first = (address + max(populated, self.count)) & pageMask
    let end = (address + min(count + Self.populatedAhead, capacity)) & pageMask
    populated = end - address
    // Since Linux 5.14; older systems refuse it, and fault the pages in.
    if end > first { _ = madvise(UnsafeMutableRawPointer(bitPattern: first), end - first, Int32(MADV_POPULATE_WRITE)) }
  }
}
