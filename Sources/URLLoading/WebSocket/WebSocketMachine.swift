/// The client's side of a WebSocket connection whose handshake is done (RFC 6455): bytes and messages in, bytes and events out. No
/// I/O inside.
///
/// Pings are answered, and so is a close frame; what breaks the protocol puts a close frame out. After that, or after the peer's close
/// frame, nothing that comes counts; after a close frame of ours nothing is put out.
struct WebSocketMachine {
  typealias Message = URLSessionWebSocketTask.Message

  enum Event {
    case message(Message)
    case pong(Data)
    /// The peer's close frame; 1005 for one without a code (section 7.1.5).
    case closed(code: UInt16, reason: Data?)
    case failed(WebSocketFault)
  }

  /// The most bytes that a message may have.
  var maximumMessageSize: Int
  /// All bytes that were put out.
  private(set) var producedBytes: UInt64 = 0

  private var input = Data()
  /// The frame whose payload comes, and how much of it is missing.
  private var frame: WebSocketFrameHeader?
  private var missing = 0
  private var control = Data()
  /// The message whose frames come.
  private var message = Data()
  private var messageKind: WebSocketFrameHeader.Opcode?
  private var text = WebSocketTextValidator()
  private var output = Data()
  private var masks = WebSocketMasks()
  private var hasSentClose = false
  private var isOver = false

  /// With more than that waiting, the peer does not read: its pings are not answered.
  private static let mostWaitingPongs = 64 << 10

  init(maximumMessageSize: Int) {
    self.maximumMessageSize = maximumMessageSize
  }

  // MARK: What comes

  /// Takes bytes of the connection; ``nextEvent()`` has what they mean.
  mutating func receive(_ bytes: UnsafeRawBufferPointer) {
    if !isOver { input.append(contentsOf: bytes) }
  }

  /// The next event; nil where more bytes are needed.
  mutating func nextEvent() -> Event? {
    do {
      while !isOver {
        if frame == nil {
          guard try beginFrame() else { return nil }
        }
        if let event = try takePayload() { return event }
        if frame != nil { return nil }
      }
      return nil
    } catch {
      close(error.code, reason: nil)
      end()
      return .failed(error)
    }
  }

  /// - Returns: false where more bytes are needed.
  private mutating func beginFrame() throws(WebSocketFault) -> Bool {
    let parsed: (header: WebSocketFrameHeader, size: Int)?
    do { parsed = try input.withUnsafeBytes { try WebSocketFrameHeader.parse($0) } } catch {
      throw error as? WebSocketFault ?? WebSocketFault(1002, "sent what is no frame")
    }
    guard let (header, size) = parsed else { return false }
    if !header.opcode.isControl { try beginDataFrame(header) }
    input.removeFirst(size)
    frame = header
    missing = header.length
    return true
  }

  private mutating func beginDataFrame(_ header: WebSocketFrameHeader) throws(WebSocketFault) {
    switch (header.opcode, messageKind) {
    case (.continuation, nil):
      throw WebSocketFault(1002, "continued a message that it had not begun (RFC 6455, section 5.4)")
    case (.text, .some), (.binary, .some):
      throw WebSocketFault(1002, "began a message in the middle of another (RFC 6455, section 5.4)")
    case (.text, nil), (.binary, nil): messageKind = header.opcode
    default: break
    }
    guard header.length <= maximumMessageSize - message.count else {
      throw WebSocketFault(
        1009,
        "sent a message of \(message.count + min(header.length, .max - message.count)) bytes or more, and maximumMessageSize is \(maximumMessageSize)"
      )
    }
  }

  /// Takes what is there of the frame's payload. The frame is over where it is whole.
  private mutating func takePayload() throws(WebSocketFault) -> Event? {
    guard let current = frame else { return nil }
    let piece = input.prefix(missing)
    missing -= piece.count
    if current.opcode.isControl {
      control.append(piece)
    } else {
      if messageKind == .text, !piece.withUnsafeBytes({ text.take($0) }) {
        throw WebSocketFault(1007, "sent text that is not UTF-8 (RFC 6455, section 8.1)")
      }
      if missing == 0, current.isFinal, message.isEmpty { message = Data(piece) } else { message.append(piece) }
    }
    if piece.count == input.count { input = Data() } else { input.removeFirst(piece.count) }
    guard missing == 0 else { return nil }
    frame = nil
    return current.opcode.isControl ? try endControlFrame(current.opcode) : try endDataFrame(current)
  }

  private mutating func endDataFrame(_ header: WebSocketFrameHeader) throws(WebSocketFault) -> Event? {
    guard header.isFinal else { return nil }
    let whole = exchange(&message, with: Data())
    guard messageKind.take() == .text else { return .message(.data(whole)) }
    guard text.isComplete else {
      throw WebSocketFault(1007, "sent text that ends in the middle of a character (RFC 6455, section 8.1)")
    }
    return .message(.string(String(decoding: whole, as: UTF8.self)))
  }

  private mutating func endControlFrame(_ opcode: WebSocketFrameHeader.Opcode) throws(WebSocketFault) -> Event? {
    let payload = exchange(&control, with: Data())
    switch opcode {
    case .ping:
      // Section 5.5.3: the answer to the most recent one will do.
      if output.count < Self.mostWaitingPongs { put(.pong, payload) }
      return nil
    case .pong: return .pong(payload)
    default: return try takeClose(payload)
    }
  }

  /// Section 5.5.1.
  private mutating func takeClose(_ payload: Data) throws(WebSocketFault) -> Event? {
    guard payload.count != 1 else {
      throw WebSocketFault(1002, "sent a close frame of one byte (RFC 6455, section 5.5.1)")
    }
    let code = payload.prefix(2).reduce(UInt16(0)) { $0 << 8 | UInt16($1) }
    guard payload.isEmpty || Self.mayBeSent(code) else {
      throw WebSocketFault(1002, "closed with the code \(code), which no frame may have (RFC 6455, section 7.4)")
    }
    let reason = payload.dropFirst(2)
    guard String(validating: reason, as: UTF8.self) != nil else {
      throw WebSocketFault(1007, "closed with a reason that is not UTF-8 (RFC 6455, section 5.5.1)")
    }
    close(payload.isEmpty ? nil : code, reason: nil)
    end()
    return .closed(code: payload.isEmpty ? 1005 : code, reason: reason.isEmpty ? nil : Data(reason))
  }

  private mutating func end() {
    isOver = true
    input = Data()
    message = Data()
  }

  /// Whether a close frame may have this code: section 7.4, and what is registered with IANA since.
  static func mayBeSent(_ code: UInt16) -> Bool {
    switch code {
    case 1000...1003, 1007...1014, 3000...4999: true
    default: false
    }
  }

  // MARK: What is put out

  mutating func send(_ message: Message) {
    switch message {
    case .data(let data): put(.binary, data)
    case .string(var string): string.withUTF8 { put(.text, UnsafeRawBufferPointer($0)) }
    }
  }

  /// - Parameter payload: at most 125 bytes.
  mutating func ping(_ payload: Data) { put(.ping, payload.prefix(WebSocketFrameHeader.largestControlPayload)) }

  /// Puts a close frame out, the last frame.
  /// - Parameters:
  ///   - code: left out where no frame may have it, and then so is the reason.
  ///   - reason: text; cut to the 123 bytes that there is room for.
  mutating func close(_ code: UInt16?, reason: Data?) {
    var payload = Data()
    if let code, Self.mayBeSent(code) {
      payload.append(contentsOf: [UInt8(code >> 8), UInt8(code & 0xff)])
      var text = reason.map { String(decoding: $0, as: UTF8.self) } ?? ""
      while text.utf8.count > 123 { text.removeLast() }
      payload.append(contentsOf: text.utf8)
    }
    put(.close, payload)
    hasSentClose = true
  }

  /// What was put out since the last time; nil for nothing.
  mutating func takeOutput() -> Data? {
    output.isEmpty ? nil : exchange(&output, with: Data())
  }

  private mutating func put(_ opcode: WebSocketFrameHeader.Opcode, _ payload: Data) {
    payload.withUnsafeBytes { put(opcode, $0) }
  }

  private mutating func put(_ opcode: WebSocketFrameHeader.Opcode, _ payload: UnsafeRawBufferPointer) {
    guard !hasSentClose else { return }
    let before = output.count
    output.reserveCapacity(before + payload.count + 14)
    output.append(0x80 | opcode.rawValue)
    switch payload.count {
    case ...125: output.append(0x80 | UInt8(payload.count))
    case ...65_535:
      output.append(0x80 | 126)
      withUnsafeBytes(of: UInt16(payload.count).bigEndian) { output.append(contentsOf: $0) }
    default:
      output.append(0x80 | 127)
      withUnsafeBytes(of: UInt64(payload.count).bigEndian) { output.append(contentsOf: $0) }
    }
    let mask = masks.next()
    withUnsafeBytes(of: mask) { output.append(contentsOf: $0) }
    let start = output.count
    output.append(contentsOf: payload)
    output.withUnsafeMutableBytes {
      WebSocketMasks.apply(mask, to: UnsafeMutableRawBufferPointer(rebasing: $0[start...]))
    }
    producedBytes += UInt64(output.count - before)
  }
}
