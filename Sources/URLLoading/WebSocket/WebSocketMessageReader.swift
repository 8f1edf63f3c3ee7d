/// Puts the messages together that a peer's data frames carry (RFC 6455, section 5.4), decompressed (RFC 7692) and validated as they
/// come. No I/O.
struct WebSocketMessageReader {
  typealias Message = URLSessionWebSocketTask.Message

  /// The most bytes that a message may have.
  var maximumSize: Int
  private let compression: WebSocketCompression?
  /// Made by the first message that is compressed.
  // Safe to share: no other value has it, so whoever is alone with the reader is alone with this.
  nonisolated(unsafe) private var inflater: WebSocketInflater?
  /// What the message is of which frames come; nil between messages.
  private var kind: WebSocketFrameHeader.Opcode?
  private var isCompressed = false
  /// Bytes of the message as they came.
  private var compressedCount = 0
  private var bytes = Data()
  private var text = WebSocketTextValidator()

  /// The most that is reserved by a length which was only announced.
  private static let mostReserved = 1 << 20

  init(maximumSize: Int, compression: WebSocketCompression?) {
    self.maximumSize = maximumSize
    self.compression = compression
  }

  /// A data frame begins.
  mutating func begin(_ header: WebSocketFrameHeader) throws(WebSocketFault) {
    switch (header.opcode, kind) {
    case (.continuation, nil):
      throw WebSocketFault(1002, "continued a message that it had not begun (RFC 6455, section 5.4)")
    case (.continuation, .some):
      guard !header.isCompressed else {
        throw WebSocketFault(1002, "set RSV1 on a frame that begins no message (RFC 7692, section 6.1)")
      }
    case (_, .some):
      throw WebSocketFault(1002, "began a message in the middle of another (RFC 6455, section 5.4)")
    case (_, nil):
      kind = header.opcode
      isCompressed = header.isCompressed
      compressedCount = 0
      text = WebSocketTextValidator()
    }
    if isCompressed { return }
    guard header.length <= maximumSize - bytes.count else {
      throw tooLong(bytes.count + min(header.length, .max - bytes.count))
    }
    if header.length > 0, bytes.isEmpty { bytes.reserveCapacity(min(header.length, Self.mostReserved)) }
  }

  /// Takes a piece of a frame's payload.
  mutating func append(_ piece: UnsafeRawBufferPointer) throws(WebSocketFault) {
    guard isCompressed else { return try take(piece) }
    if inflater == nil { inflater = WebSocketInflater(compression ?? WebSocketCompression()) }
    guard let inflater else { throw WebSocketFault(1011, "sent a message that there is no memory to decompress") }
    // What cannot be compressed grows by a few bytes a block; what has much more holds blocks without content.
    compressedCount += piece.count
    guard compressedCount / 2 <= maximumSize / 2 + maximumSize / 16 + 512 else { throw tooLong(compressedCount) }
    try inflater.inflate(piece) { piece throws(WebSocketFault) in try take(piece) }
  }

  /// The message's last frame is whole.
  mutating func end() throws(WebSocketFault) -> Message {
    if isCompressed {
      // An empty message has a payload, too (RFC 7692, section 7.2.3.6).
      guard let inflater else { throw WebSocketFault(1007, "sent a compressed message without bytes") }
      try inflater.end { piece throws(WebSocketFault) in try take(piece) }
    }
    let whole = exchange(&bytes, with: Data())
    guard kind.take() == .text else { return .data(whole) }
    guard text.isComplete else {
      throw WebSocketFault(1007, "sent text that ends in the middle of a character (RFC 6455, section 8.1)")
    }
    return .string(String(decoding: whole, as: UTF8.self))
  }

  private mutating func take(_ piece: UnsafeRawBufferPointer) throws(WebSocketFault) {
    // What comes first counts, however the bytes were cut. The limit may have been lowered in the middle of a message.
    let fitting = UnsafeRawBufferPointer(rebasing: piece.prefix(max(0, maximumSize - bytes.count)))
    if kind == .text, !text.take(fitting) {
      throw WebSocketFault(1007, "sent text that is not UTF-8 (RFC 6455, section 8.1)")
    }
    guard fitting.count == piece.count else { throw tooLong(bytes.count + piece.count) }
    bytes.append(contentsOf: piece)
  }

  private func tooLong(_ count: Int) -> WebSocketFault {
    WebSocketFault(1009, "sent a message of \(count) bytes or more, and maximumMessageSize is \(maximumSize)")
  }
}
