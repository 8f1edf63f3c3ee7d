/// Undoes one content coding (RFC 9110 section 8.4), piece by piece.
///
/// A call does a bounded amount of work, whatever the ratio of the coding: it writes no more than the output holds.
protocol ContentDecoder: AnyObject {
  /// Decodes from `input` to `output`, which is not empty, until one of them is used up.
  func decode(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) throws(ContentDecodingError) -> DecodingStep

  /// All that came was decoded up to an end that the format marks; or nothing came.
  var isWhole: Bool { get }
}

/// What one call of a decoder did.
struct DecodingStep {
  /// The consumed bytes of the input. The caller passes the rest again.
  var consumed: Int
  /// Bytes of the output that were written.
  var produced: Int
  /// All input is used up, and nothing more comes without more of it.
  var isStarved: Bool
  /// Bytes that were decoded on the way, between two codings.
  var intermediate = 0
}

/// Why a body cannot be decoded.
enum ContentDecodingError: Error, Equatable {
  /// What is wrong with it, as a sentence without a full stop.
  case malformed(String)
  case outOfMemory

  /// What is found after the end of a coding: damage, or something that is not part of the resource.
  static func bytesAfterEnd(of coding: ContentCoding) -> Self {
    .malformed("bytes follow the end of the body's \(coding.rawValue) coding")
  }
}
