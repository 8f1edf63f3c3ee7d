/// Cuts a stream of bytes into packets, however it was split on its way.
///
/// The bytes of files are handed on from where they came, without being put together first; all other packets are whole.
struct PacketAssembler {
  /// The longest packet that is accepted: 256 KiB of a file's bytes, and what stands in front of them.
  static let largestPacket = (256 << 10) + 9

  /// What came. Pointers are valid during the call that hands them on.
  enum Piece {
    /// A packet that carries no file's bytes, from its type on.
    case packet(UnsafeRawBufferPointer)
    /// An answer to a read begins, with so many bytes to come.
    case dataBegins(identifier: UInt32, count: Int)
    /// Bytes of the answer that began last; `isLast` with the last of them.
    case data(UnsafeRawBufferPointer, isLast: Bool)
  }

  /// The beginning of a packet, its length in front, as far as it came.
  private var partial: [UInt8] = []
  /// Bytes of a read's answer that have not come.
  private var missingDataCount = 0

  /// Whether the stream stands between two packets.
  var isBetweenPackets: Bool { partial.isEmpty && missingDataCount == 0 }

  /// Takes the next bytes of the stream and hands on what they complete, in order.
  /// - Throws: a violation, after which nothing more can be understood; or what `body` throws.
  mutating func receive(
    _ bytes: UnsafeRawBufferPointer, _ body: (Piece) throws(WireViolation) -> Void
  ) throws(WireViolation) {
    var rest = bytes
    while !rest.isEmpty {
      if missingDataCount > 0 {
        let piece = rest.removeFirst(atMost: missingDataCount)
        missingDataCount -= piece.count
        try body(.data(piece, isLast: missingDataCount == 0))
      } else if partial.isEmpty, let packet = try Self.wholePacket(rest) {
        rest.removeFirst(atMost: 4 + packet.count)
        try body(.packet(packet))
      } else {
        try assemble(&rest, body)
      }
    }
  }

  /// The packet at the beginning of `bytes`, if all of it is there and it can be handed on as a whole.
  private static func wholePacket(_ bytes: UnsafeRawBufferPointer) throws(WireViolation) -> UnsafeRawBufferPointer? {
    guard bytes.count >= 5 else { return nil }
    let length = try length(of: bytes)
    guard bytes[4] != PacketType.data.rawValue, bytes.count - 4 >= length else { return nil }
    return UnsafeRawBufferPointer(rebasing: bytes[4..<4 + length])
  }

  /// Collects a packet that came in parts, or the head of one with a file's bytes.
  private mutating func assemble(
    _ rest: inout UnsafeRawBufferPointer, _ body: (Piece) throws(WireViolation) -> Void
  ) throws(WireViolation) {
    collect(&rest, until: 5)
    guard partial.count >= 5 else { return }
    let length = try partial.withUnsafeBufferPointer { (bytes) throws(WireViolation) in
      try Self.length(of: UnsafeRawBufferPointer(bytes))
    }
    if partial[4] == PacketType.data.rawValue {
      guard length >= 9 else { throw .packetTooShort(UInt32(length)) }
      collect(&rest, until: 13)
      guard partial.count == 13 else { return }
      let (identifier, count) = try partial.withUnsafeBufferPointer { (bytes) throws(WireViolation) in
        var reader = PacketReader(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[5...]))
        return (try reader.uint32(), Int(try reader.uint32()))
      }
      guard count <= length - 9 else { throw .truncated }
      guard count == length - 9 else { throw .trailingBytes(length - 9 - count) }
      partial.removeAll(keepingCapacity: true)
      missingDataCount = count
      try body(.dataBegins(identifier: identifier, count: count))
      if count == 0 { try body(.data(UnsafeRawBufferPointer(start: nil, count: 0), isLast: true)) }
    } else {
      collect(&rest, until: 4 + length)
      guard partial.count == 4 + length else { return }
      defer { partial.removeAll(keepingCapacity: true) }
      try partial.withUnsafeBufferPointer { (bytes) throws(WireViolation) in
        try body(.packet(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[4...])))
      }
    }
  }

  private mutating func collect(_ rest: inout UnsafeRawBufferPointer, until count: Int) {
    guard partial.count < count else { return }
    partial.append(contentsOf: rest.removeFirst(atMost: count - partial.count))
  }

  /// The length in front of a packet.
  private static func length(of bytes: UnsafeRawBufferPointer) throws(WireViolation) -> Int {
    var reader = PacketReader(bytes)
    let length = try reader.uint32()
    guard length <= UInt32(largestPacket) else { throw .packetTooLong(length) }
    guard length >= 5 else { throw .packetTooShort(length) }
    return Int(length)
  }
}

extension UnsafeRawBufferPointer {
  /// Takes up to `count` bytes from the front.
  @discardableResult
  fileprivate mutating func removeFirst(atMost count: Int) -> UnsafeRawBufferPointer {
    let taken = UnsafeRawBufferPointer(rebasing: prefix(count))
    self = UnsafeRawBufferPointer(rebasing: dropFirst(count))
    return taken
  }
}
