/// Messages on the socket between a program and the service: 4 bytes of length, big-endian, then so many bytes in the compact form or of
/// JSON, which the first of them tells apart. A value without I/O that is fed what arrives.
package struct BackgroundFrames: Sendable {
  /// Why a connection is of no use any more.
  package enum FrameError: Error, Equatable {
    /// - Parameter length: in bytes.
    case tooLong(length: Int)
    case unreadable
  }

  /// Bytes of a message.
  package static let limit = 1 << 20

  /// Whether a message has room for one large part of so many bytes, beside what is always in it.
  package static func hasRoom(for count: Int) -> Bool { count <= limit - 64 }

  private var bytes: [UInt8] = []
  private var start = 0

  package init() {}

  /// Takes bytes that have arrived.
  package mutating func append(_ new: some Collection<UInt8>) {
    if start > 64 << 10 || start == bytes.count {
      bytes.removeFirst(start)
      start = 0
    }
    bytes += new
  }

  /// The next message; nil where more bytes have to come first.
  package mutating func next<Message: BackgroundMessage>(_ type: Message.Type) throws(FrameError) -> Message? {
    guard bytes.count - start >= 4 else { return nil }
    let length = bytes[start..<start + 4].reduce(0) { $0 << 8 | Int($1) }
    guard length <= Self.limit else { throw .tooLong(length: length) }
    guard bytes.count - start - 4 >= length else { return nil }
    let content = bytes[start + 4..<start + 4 + length]
    start += 4 + length
    guard content.first == CompactForm.version else {
      do { return try JSONDecoder().decode(type, from: Data(content)) } catch { throw .unreadable }
    }
    var reader = CompactReader(content.dropFirst())
    guard let message = Message(reading: &reader), reader.isAtEnd else { throw .unreadable }
    return message
  }

  /// A message as it is sent; nil where it is too long.
  package static func encoded(_ message: some BackgroundMessage) -> [UInt8]? {
    var writer = CompactWriter()
    writer.byte(CompactForm.version)
    if message.write(to: &writer) { return framed(writer.bytes) }
    return (try? JSONEncoder().encode(message)).flatMap { framed($0) }
  }

  private static func framed(_ content: some Collection<UInt8>) -> [UInt8]? {
    guard content.count <= limit else { return nil }
    let length = UInt32(content.count)
    return [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: length >> $0) } + content
  }
}
