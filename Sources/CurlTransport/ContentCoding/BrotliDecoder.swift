internal import URLLoadingCBrotli

/// The coding `br` (RFC 7932).
final class BrotliDecoder: ContentDecoder {
  private let state: OpaquePointer
  private var hasInput = false

  init() throws(ContentDecodingError) {
    // Windows beyond the 16 MiB of the RFC are an extension, which is off unless asked for.
    guard let state = BrotliDecoderCreateInstance(nil, nil, nil) else { throw .outOfMemory }
    self.state = state
  }

  deinit { BrotliDecoderDestroyInstance(state) }

  var isWhole: Bool { !hasInput || BrotliDecoderIsFinished(state) != BROTLI_FALSE }

  func decode(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) throws(ContentDecodingError) -> DecodingStep {
    if isWhole {
      guard !input.isEmpty else { return DecodingStep(consumed: 0, produced: 0, isStarved: true) }
      guard !hasInput else { throw .bytesAfterEnd(of: .brotli) }
      hasInput = true
    }
    var available = input.count
    var room = output.count
    var source = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
    var target = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
    let result = BrotliDecoderDecompressStream(state, &available, &source, &room, &target, nil)
    var step = DecodingStep(consumed: input.count - available, produced: output.count - room, isStarved: false)
    switch result {
    case BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT: break
    case BROTLI_DECODER_RESULT_NEEDS_MORE_INPUT:
      // The decoder also asks for input while it still has output.
      step.isStarved = BrotliDecoderHasMoreOutput(state) == BROTLI_FALSE
    case BROTLI_DECODER_RESULT_SUCCESS:
      guard available == 0 else { throw .bytesAfterEnd(of: .brotli) }
      step.isStarved = true
    default:
      let code = BrotliDecoderGetErrorCode(state)
      let words = BrotliDecoderErrorString(code).map { String(cString: $0) } ?? "unknown"
      if words.contains("ALLOC") { throw .outOfMemory }
      throw .malformed("the body's br coding is damaged: the decoder's error is \(words)")
    }
    return step
  }
}
