/// Decodes the body of one response under back-pressure: the consumer may refuse a piece, and the producer repeats the
/// rest of a partly consumed piece, perhaps divided differently.
///
/// Memory is constant: pieces are made one at a time, in the buffer that is given.
// Loop thread only.
final class BodyDecoder {
  enum Action {
    /// Pass these bytes on; then call `delivered()`, or nothing if they were refused.
    case deliver(UnsafeRawBufferPointer)
    /// Nothing to deliver yet: call again.
    case proceed
    /// All the bytes that came are taken.
    case finish
  }

  /// The largest decoded piece.
  static let bufferSize = 64 << 10

  private let codings: [ContentCoding]
  private let decoder: any ContentDecoder
  private let buffer: UnsafeMutableRawBufferPointer
  /// How many of the next bytes the decoder has consumed before.
  private var taken = 0
  /// The decoded bytes that are not delivered yet.
  private var pending = 0..<0
  /// Bytes that were decoded so far, those between two codings too: a measure of the work.
  private(set) var work: UInt64 = 0

  /// Nil when the fields name no coding that changes anything.
  ///
  /// - Parameters:
  ///   - contentEncoding: the values of the response's Content-Encoding fields.
  ///   - buffer: of `bufferSize` bytes; it lives longer than this object.
  init?(contentEncoding: [String], buffer: UnsafeMutableRawBufferPointer) throws(ContentDecodingError) {
    codings = try ContentCoding.list(contentEncoding)
    var decoder: (any ContentDecoder)?
    // What was applied last is undone first.
    for coding in codings.reversed() {
      let next = try coding.makeDecoder()
      decoder = decoder.map { ChainedDecoder($0, then: next) } ?? next
    }
    guard let decoder else { return nil }
    self.decoder = decoder
    self.buffer = buffer
  }

  /// What to do with `bytes`: ask again until they are finished, or bring them again later.
  func next(_ bytes: UnsafeRawBufferPointer) throws(ContentDecodingError) -> Action {
    if !pending.isEmpty { return .deliver(UnsafeRawBufferPointer(rebasing: buffer[pending])) }
    let known = min(taken, bytes.count)
    let step = try decoder.decode(UnsafeRawBufferPointer(rebasing: bytes[known...]), into: buffer)
    taken += step.consumed
    pending = 0..<step.produced
    work &+= UInt64(step.produced) &+ UInt64(step.intermediate)
    if !pending.isEmpty { return .deliver(UnsafeRawBufferPointer(rebasing: buffer[pending])) }
    guard step.isStarved else { return .proceed }
    taken -= bytes.count
    return .finish
  }

  /// What `next` gave was taken.
  func delivered() {
    pending = 0..<0
  }

  /// What to say when no more bytes come; nil when the body is whole.
  var incompleteness: String? {
    guard !decoder.isWhole || !pending.isEmpty else { return nil }
    let names = codings.map(\.rawValue).joined(separator: ", ")
    return "the body ends in the middle of its content coding (\(names))"
  }
}
