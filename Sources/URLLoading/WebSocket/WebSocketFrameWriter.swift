/// Makes a client's frames: masked (RFC 6455, section 5.3), each message one frame, compressed where that was agreed (RFC 7692). No I/O.
///
/// After a close frame nothing is put out.
struct WebSocketFrameWriter {
  /// All bytes that were put out.
  private(set) var producedBytes: UInt64 = 0
  private(set) var hasSentClose = false
  private let compression: WebSocketCompression?
  /// Made by the first message that is worth it.
  // Safe to share: no other value has it, so whoever is alone with the writer is alone with this.
  nonisolated(unsafe) private var deflater: WebSocketDeflater?
  private var masks = WebSocketMasks()
  private var output = Data()

  /// With more than that waiting, the peer does not read: its pings are not answered.
  private static let mostWaitingPongs = 64 << 10
  private static let compressedBit: UInt8 = 0x40

  init(compression: WebSocketCompression?) {
    self.compression = compression
  }

  /// What was put out since the last time; nil for nothing.
  mutating func takeOutput() -> Data? {
    output.isEmpty ? nil : exchange(&output, with: Data())
  }

  mutating func send(_ message: URLSessionWebSocketTask.Message) {
    switch message {
    case .data(let data): data.withUnsafeBytes { send(.binary, $0) }
    case .string(var string): string.withUTF8 { send(.text, UnsafeRawBufferPointer($0)) }
    }
  }

  private mutating func send(_ opcode: WebSocketFrameHeader.Opcode, _ payload: UnsafeRawBufferPointer) {
    guard !hasSentClose else { return }
    if let compression, payload.count >= WebSocketDeflater.shortestMessage {
      if deflater == nil { deflater = WebSocketDeflater(compression) }
      if let compressed = deflater?.deflate(payload) {
        return compressed.withUnsafeBytes { put(opcode.rawValue | Self.compressedBit, $0) }
      }
    }
    put(opcode.rawValue, payload)
  }

  /// - Parameter payload: at most 125 bytes.
  mutating func ping(_ payload: Data) { put(.ping, payload.prefix(WebSocketFrameHeader.largestControlPayload)) }

  /// Answers a ping (section 5.5.3), unless many answers wait: that to the latest will do.
  mutating func pong(_ payload: Data) {
    if output.count < Self.mostWaitingPongs { put(.pong, payload) }
  }

  /// Puts a close frame out, the last frame.
  /// - Parameters:
  ///   - code: left out where no frame may have it, and then so is the reason.
  ///   - reason: text; cut to the 123 bytes that there is room for.
  mutating func close(_ code: UInt16?, reason: Data?) {
    var payload = Data()
    if let code, Self.mayBeSent(code) {
      payload.append(contentsOf: [UInt8(code >> 8), UInt8(code & 0xff)])
      var text = reason.map { String(decoding: $0.prefix(1024), as: UTF8.self) } ?? ""
      while text.utf8.count > WebSocketFrameHeader.largestControlPayload - 2 { text.unicodeScalars.removeLast() }
      payload.append(contentsOf: text.utf8)
    }
    put(.close, payload)
    hasSentClose = true
  }

  /// Whether a close frame may have this code: section 7.4, and what is registered with IANA since.
  static func mayBeSent(_ code: UInt16) -> Bool {
    switch code {
    case 1000...1003, 1007...1014, 3000...4999: true
    default: false
    }
  }

  private mutating func put(_ opcode: WebSocketFrameHeader.Opcode, _ payload: Data) {
    payload.withUnsafeBytes { put(opcode.rawValue, $0) }
  }

  /// - Parameter first: the opcode and the reserved bits; each frame is a message's only one.
  private mutating func put(_ first: UInt8, _ payload: UnsafeRawBufferPointer) {
    guard !hasSentClose else { return }
    let before = output.count
    output.reserveCapacity(before + payload.count + 14)
    output.append(0x80 | first)
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
