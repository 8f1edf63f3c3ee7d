/// Cuts a stream of bytes into packets, however it was split on its way.
///
/// Bytes of files are passed on without a copy; all other packets are whole.
struct PacketAssembler {
  /// The longest packet that is accepted: 256 KiB of a file's bytes, and the fields before them.
  static let largestPacket = (256 << 10) + 9

  /// Pointers are valid during the call.
  enum Piece {
    /// A packet without bytes of a file, from its type on.
    case packet(UnsafeRawBufferPointer)
    /// A reply to a read begins, with this number of bytes.
    case dataBegins(identifier: UInt32, count: Int)
    /// Bytes of the reply that began last.
    case data(UnsafeRawBufferPointer, isLast: Bool)
  }

  /// The received beginning of a packet, its length in front.
  private var partial: [UInt8] = []
  /// Bytes of a read's reply that are missing.
  private var missingDataCount = 0

  /// Whether no packet is incomplete.
  var isBetweenPackets: Bool { partial.isEmpty && missingDataCount == 0 }

  /// Takes the next bytes of the stream, and calls `body` with the pieces that they complete, in order.
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

  /// The packet at the beginning of `bytes`, if it is whole and without bytes of a file.
  private static func wholePacket(_ bytes: UnsafeRawBufferPointer) throws(WireViolation) -> UnsafeRawBufferPointer? {
    guard bytes.count >= 5 else { return nil }
    let length = try length(of: bytes)
    guard bytes[4] != PacketType.data.rawValue, bytes.count - 4 >= length else { return nil }
    return UnsafeRawBufferPointer(rebasing: bytes[4..<4 + length])
  }

  /// Collects a packet that came in parts, or the fields before a file's bytes.
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
