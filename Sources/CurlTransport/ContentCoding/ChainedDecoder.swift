/// Two codings that were applied one after the other: `outer` undoes the last one.
final class ChainedDecoder: ContentDecoder {
  private static let bufferSize = 16 << 10

  private let outer: any ContentDecoder
  private let inner: any ContentDecoder
  private let buffer: UnsafeMutableRawBufferPointer
  /// What `outer` wrote and `inner` has not read.
  private var waiting = 0..<0

  init(_ outer: any ContentDecoder, then inner: any ContentDecoder) {
    self.outer = outer
    self.inner = inner
    buffer = .allocate(byteCount: Self.bufferSize, alignment: 16)
  }

  deinit { buffer.deallocate() }

  var isWhole: Bool { outer.isWhole && inner.isWhole && waiting.isEmpty }

  /// One step of either decoder: the data between them may be far larger than input and output.
  func decode(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) throws(ContentDecodingError) -> DecodingStep {
    let second = try inner.decode(UnsafeRawBufferPointer(rebasing: buffer[waiting]), into: output)
    waiting = waiting.lowerBound + second.consumed..<waiting.upperBound
    if second.produced > 0 || !second.isStarved {
      return DecodingStep(
        consumed: 0, produced: second.produced, isStarved: false, intermediate: second.intermediate)
    }
    let first = try outer.decode(input, into: buffer)
    waiting = 0..<first.produced
    return DecodingStep(
      consumed: first.consumed, produced: 0, isStarved: first.isStarved && first.produced == 0,
      intermediate: second.intermediate + first.intermediate + first.produced)
  }
}
