internal import URLLoadingBase

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

  private let allowsCompression: Bool
  private var input = ByteQueue()
  /// The frame whose payload comes, and how much of it is missing.
  private var frame: WebSocketFrameHeader?
  private var missing = 0
  private var control = Data()
  private var reader: WebSocketMessageReader
  private var writer: WebSocketFrameWriter
  private var isOver = false

  /// - Parameter compression: what was agreed on; nil for none.
  init(maximumMessageSize: Int, compression: WebSocketCompression? = nil) {
    allowsCompression = compression != nil
    reader = WebSocketMessageReader(maximumSize: maximumMessageSize, compression: compression)
    writer = WebSocketFrameWriter(compression: compression)
  }

  /// The most bytes that a message may have.
  var maximumMessageSize: Int {
    get { reader.maximumSize }
    set { reader.maximumSize = newValue }
  }

  // MARK: What comes

  /// Takes bytes of the connection; ``nextEvent()`` has what they mean.
  mutating func receive(_ bytes: UnsafeRawBufferPointer) {
    if !isOver { input.append(bytes) }
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
      writer.close(error.code, reason: nil)
      end()
      return .failed(error)
    }
  }

  /// - Returns: false where more bytes are needed.
  private mutating func beginFrame() throws(WebSocketFault) -> Bool {
    let allowsCompression = allowsCompression
    let parsed = input.withBytes { bytes in
      Result { () throws(WebSocketFault) in
        try WebSocketFrameHeader.parse(bytes, allowsCompression: allowsCompression)
      }
    }
    guard let (header, size) = try parsed.get() else { return false }
    if !header.opcode.isControl { try reader.begin(header) }
    input.removeFirst(size)
    frame = header
    missing = header.length
    return true
  }

  /// Takes what is there of the frame's payload. The frame is over where it is whole.
  private mutating func takePayload() throws(WebSocketFault) -> Event? {
    guard let current = frame else { return nil }
    let limit = missing
    var count = 0
    let outcome = input.withBytes { bytes in
      Result { () throws(WebSocketFault) in
        let piece = UnsafeRawBufferPointer(rebasing: bytes.prefix(limit))
        count = piece.count
        if current.opcode.isControl { control.append(contentsOf: piece) } else { try reader.append(piece) }
      }
    }
    try outcome.get()
    missing -= count
    input.removeFirst(count)
    guard missing == 0 else { return nil }
    frame = nil
    guard !current.opcode.isControl else { return try endControlFrame(current.opcode) }
    return current.isFinal ? .message(try reader.end()) : nil
  }

  private mutating func endControlFrame(_ opcode: WebSocketFrameHeader.Opcode) throws(WebSocketFault) -> Event? {
    let payload = exchange(&control, with: Data())
    switch opcode {
    case .ping:
      writer.pong(payload)
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
    guard payload.isEmpty || WebSocketFrameWriter.mayBeSent(code) else {
      throw WebSocketFault(1002, "closed with the code \(code), which no frame may have (RFC 6455, section 7.4)")
    }
    let reason = payload.dropFirst(2)
    guard String(validating: reason, as: UTF8.self) != nil else {
      throw WebSocketFault(1007, "closed with a reason that is not UTF-8 (RFC 6455, section 5.5.1)")
    }
    writer.close(payload.isEmpty ? nil : code, reason: nil)
    end()
    return .closed(code: payload.isEmpty ? 1005 : code, reason: reason.isEmpty ? nil : Data(reason))
  }

  private mutating func end() {
    isOver = true
    input.removeAll()
    reader = WebSocketMessageReader(maximumSize: 0, compression: nil)
  }

  // MARK: What is put out

  /// All bytes that were put out.
  var producedBytes: UInt64 { writer.producedBytes }

  mutating func send(_ message: Message) { writer.send(message) }

  /// - Parameter payload: at most 125 bytes.
  mutating func ping(_ payload: Data) { writer.ping(payload) }

  /// Puts a close frame out, the last frame.
  /// - Parameters:
  ///   - code: left out where no frame may have it, and then so is the reason.
  ///   - reason: text; cut to the 123 bytes that there is room for.
  mutating func close(_ code: UInt16?, reason: Data?) { writer.close(code, reason: reason) }

  /// What was put out since the last time; nil for nothing.
  mutating func takeOutput() -> Data? { writer.takeOutput() }
}
