internal import URLLoadingCZstd

/// The coding `zstd` (RFC 8878): frames one after another.
final class ZstdDecoder: ContentDecoder {
  /// 8 MiB: as a content coding no frame may ask for a larger window (RFC 9659 section 3).
  private static let maximumWindowLog: Int32 = 23

  private let context: OpaquePointer
  /// The next byte begins a frame.
  private var isAtFrame = true
  /// The decoder had no room for all that it has.
  private var hasMore = false

  init() throws(ContentDecodingError) {
    guard let context = ZSTD_createDStream() else { throw .outOfMemory }
    self.context = context
    ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, Self.maximumWindowLog)
  }

  deinit { ZSTD_freeDStream(context) }

  var isWhole: Bool { isAtFrame }

  func decode(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) throws(ContentDecodingError) -> DecodingStep {
    if input.isEmpty, !hasMore { return DecodingStep(consumed: 0, produced: 0, isStarved: true) }
    if isAtFrame, let first = input.first, first != 0x28, first >> 4 != 5 {
      // Neither a frame nor one to skip (RFC 8878 section 3.1); the library may know older formats, which have no limits.
      throw .malformed("the body's zstd coding is damaged: no frame begins with the byte \(first)")
    }
    var source = ZSTD_inBuffer(src: input.baseAddress, size: input.count, pos: 0)
    var target = ZSTD_outBuffer(dst: output.baseAddress, size: output.count, pos: 0)
    let result = ZSTD_decompressStream(context, &target, &source)
    guard ZSTD_isError(result) == 0 else {
      let words = ZSTD_getErrorName(result).map { String(cString: $0) } ?? "unknown"
      if ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation { throw .outOfMemory }
      throw .malformed("the body's zstd coding is damaged: \(words)")
    }
    isAtFrame = result == 0
    hasMore = !isAtFrame && target.pos == target.size
    return DecodingStep(
      consumed: source.pos, produced: target.pos, isStarved: source.pos == source.size && !hasMore)
  }
}
