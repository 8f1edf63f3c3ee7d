@testable import URLLoadingCurlTransport

/// What a decoder makes of a body.
struct Decoding {
  var bytes: [UInt8] = []
  /// The body is whole, as far as its coding tells.
  var isWhole = false
  var error: ContentDecodingError?

  /// - Parameters:
  ///   - pieceSize: bytes that come at once.
  ///   - refuses: whether every second piece of the output is refused at first, and all input comes again, in pieces
  ///     of another size.
  init(_ body: [UInt8], _ contentEncoding: String, pieceSize: Int = .max, refuses: Bool = false) {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: BodyDecoder.bufferSize, alignment: 16)
    defer { buffer.deallocate() }
    do throws(ContentDecodingError) {
      guard let decoder = try BodyDecoder(contentEncoding: [contentEncoding], buffer: buffer) else {
        bytes = body
        isWhole = true
        return
      }
      error = body.withUnsafeBytes { run(decoder, $0, pieceSize, refuses) }
      isWhole = error == nil && decoder.incompleteness == nil
    } catch {
      self.error = error
    }
  }

  private mutating func run(
    _ decoder: BodyDecoder, _ body: UnsafeRawBufferPointer, _ pieceSize: Int, _ refuses: Bool
  ) -> ContentDecodingError? {
    var start = 0
    var size = pieceSize
    var count = 0
    while start < body.count {
      let piece = UnsafeRawBufferPointer(rebasing: body[start..<(start + min(size, body.count - start))])
      size = pieceSize
      coming: while true {
        let action: BodyDecoder.Action
        do throws(ContentDecodingError) { action = try decoder.next(piece) } catch { return error }
        switch action {
        case .proceed: break
        case .finish:
          start += piece.count
          break coming
        case .deliver(let output):
          count += 1
          if refuses, count % 2 == 1 {
            size = max(1, piece.count / 2)
            break coming
          }
          bytes += output
          decoder.delivered()
        }
      }
    }
    return nil
  }
}
