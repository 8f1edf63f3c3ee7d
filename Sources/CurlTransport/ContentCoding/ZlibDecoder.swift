internal import URLLoadingCZlib

/// The codings `gzip` (RFC 1952) and `deflate` (RFC 1950).
///
/// As servers differ, a body in the one's format passes under the name `gzip` for the other's, and `deflate` may come
/// without zlib's header and checksum, as libcurl and browsers accept. A gzip body may have several members (RFC 1952
/// section 2.2), and zeros after the last, which gzip itself ignores too. Anything else after the end is an error.
final class ZlibDecoder: ContentDecoder {
  private enum State {
    case start
    /// The first byte of a body that may have a header or not.
    case header(UInt8)
    case inflating
    case afterMember
    case padding
    /// How many bytes of a checksum may follow, that nothing announced.
    case ended(tolerated: Int)
  }

  private let coding: ContentCoding
  // On the heap: zlib keeps its address.
  private let stream: UnsafeMutablePointer<z_stream>
  private var isInitialized = false
  /// There is no zlib header, and so no checksum that is expected.
  private var isRaw = false
  private var state = State.start

  /// - Parameter coding: `.gzip` or `.deflate`.
  init(_ coding: ContentCoding) {
    self.coding = coding
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
  }

  deinit {
    if isInitialized { inflateEnd(stream) }
    stream.deallocate()
  }

  var isWhole: Bool {
    switch state {
    case .start, .afterMember, .padding, .ended: true
    case .header, .inflating: false
    }
  }

  func decode(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) throws(ContentDecodingError) -> DecodingStep {
    var step = DecodingStep(consumed: 0, produced: 0, isStarved: false)
    while true {
      // zlib may have more to write without more to read.
      if step.consumed == input.count, !isInflating {
        step.isStarved = true
        return step
      }
      switch state {
      case .start:
        guard coding == .deflate else {
          // 32 more: zlib looks which of its two headers there is.
          try initialize(windowBits: MAX_WBITS + 32)
          break
        }
        state = .header(input[0])
        step.consumed = 1
      case .header(let first):
        isRaw = !Self.isZlibHeader(first, input[step.consumed])
        try initialize(windowBits: isRaw ? -MAX_WBITS : MAX_WBITS)
        // One byte is too little for anything to come out.
        try withUnsafeBytes(of: first) { first throws(ContentDecodingError) in _ = try inflate(first, into: output) }
      case .inflating:
        let rest = UnsafeRawBufferPointer(rebasing: input[step.consumed...])
        let room = UnsafeMutableRawBufferPointer(rebasing: output[step.produced...])
        let part = try inflate(rest, into: room)
        step.consumed += part.consumed
        step.produced += part.produced
        if isInflating {
          step.isStarved = part.isStarved
          return step
        }
      case .afterMember:
        switch input[step.consumed] {
        case 0x1f:
          guard inflateReset(stream) == Z_OK else { throw .outOfMemory }
          state = .inflating
        case 0: state = .padding
        default: throw .bytesAfterEnd(of: coding)
        }
      case .padding:
        guard input[step.consumed...].allSatisfy({ $0 == 0 }) else { throw .bytesAfterEnd(of: coding) }
        step.consumed = input.count
      case .ended(let tolerated):
        let rest = input.count - step.consumed
        guard rest <= tolerated else { throw .bytesAfterEnd(of: coding) }
        state = .ended(tolerated: tolerated - rest)
        step.consumed = input.count
      }
    }
  }

  private var isInflating: Bool {
    if case .inflating = state { true } else { false }
  }

  /// RFC 1950 section 2.2. Raw deflate (RFC 1951) does not begin so, unless its encoder sets unused bits.
  private static func isZlibHeader(_ first: UInt8, _ second: UInt8) -> Bool {
    first & 15 == 8 && first >> 4 <= 7 && (Int(first) << 8 | Int(second)) % 31 == 0
  }

  private func initialize(windowBits: Int32) throws(ContentDecodingError) {
    let size = Int32(MemoryLayout<z_stream>.size)
    guard inflateInit2_(stream, windowBits, ZLIB_VERSION, size) == Z_OK else { throw .outOfMemory }
    isInitialized = true
    state = .inflating
  }

  /// Calls zlib once, and notes the end of a member.
  private func inflate(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) throws(ContentDecodingError) -> DecodingStep {
    let available = UInt32(clamping: input.count)
    let room = UInt32(clamping: output.count)
    var nothing: UInt8 = 0
    let result = withUnsafeMutablePointer(to: &nothing) { nothing in
      // zlib wants addresses, even where there is nothing.
      let source = input.baseAddress ?? UnsafeRawPointer(nothing)
      let target = output.baseAddress ?? UnsafeMutableRawPointer(nothing)
      stream.pointee.next_in = UnsafeMutablePointer(mutating: source.assumingMemoryBound(to: UInt8.self))
      stream.pointee.avail_in = available
      stream.pointee.next_out = target.assumingMemoryBound(to: UInt8.self)
      stream.pointee.avail_out = room
      return URLLoadingCZlib.inflate(stream, Z_NO_FLUSH)
    }
    switch result {
    case Z_OK, Z_BUF_ERROR: break
    case Z_STREAM_END: state = coding == .gzip ? .afterMember : .ended(tolerated: isRaw ? 4 : 0)
    case Z_MEM_ERROR: throw .outOfMemory
    case Z_NEED_DICT:
      throw .malformed("the body's \(coding.rawValue) coding needs a dictionary, which HTTP has none for")
    default:
      let words = stream.pointee.msg.map { String(cString: $0) } ?? "zlib's error \(result)"
      throw .malformed("the body's \(coding.rawValue) coding is damaged: \(words)")
    }
    let left = stream.pointee
    return DecodingStep(
      consumed: Int(available - left.avail_in), produced: Int(room - left.avail_out),
      isStarved: left.avail_in == 0 && left.avail_out > 0 && Int(available) == input.count)
  }
}
