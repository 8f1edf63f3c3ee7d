/// Bytes of packets as a server would send them, written without the code under test.
struct PacketBytes {
  var bytes: [UInt8] = []

  func byte(_ value: UInt8) -> PacketBytes { PacketBytes(bytes: bytes + [value]) }

  func word(_ value: UInt32) -> PacketBytes {
    PacketBytes(bytes: bytes + (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * UInt32($0))) })
  }

  func long(_ value: UInt64) -> PacketBytes {
    word(UInt32(truncatingIfNeeded: value >> 32)).word(UInt32(truncatingIfNeeded: value))
  }

  func string(_ text: [UInt8]) -> PacketBytes {
    PacketBytes(bytes: word(UInt32(text.count)).bytes + text)
  }

  func string(_ text: String) -> PacketBytes { string(Array(text.utf8)) }

  func raw(_ more: [UInt8]) -> PacketBytes { PacketBytes(bytes: bytes + more) }

  /// The packet with its length in front.
  var framed: [UInt8] { PacketBytes().word(UInt32(bytes.count)).bytes + bytes }

  // MARK: Packets

  static func version(_ version: UInt32 = 3, _ extensions: [(String, String)] = []) -> PacketBytes {
    extensions.reduce(PacketBytes().byte(2).word(version)) { $0.string($1.0).string($1.1) }
  }

  static func status(_ identifier: UInt32, _ code: UInt32, _ message: String = "") -> PacketBytes {
    PacketBytes().byte(101).word(identifier).word(code).string(message).string("")
  }

  static func handle(_ identifier: UInt32, _ handle: [UInt8]) -> PacketBytes {
    PacketBytes().byte(102).word(identifier).string(handle)
  }

  static func data(_ identifier: UInt32, _ data: [UInt8]) -> PacketBytes {
    PacketBytes().byte(103).word(identifier).string(data)
  }

  static func attributes(_ identifier: UInt32, permissions: UInt32, user: UInt32, group: UInt32) -> PacketBytes {
    PacketBytes().byte(105).word(identifier).word(2 | 4).word(user).word(group).word(permissions)
  }

  static func attributes(_ identifier: UInt32, size: UInt64, permissions: UInt32, time: UInt32) -> PacketBytes {
    PacketBytes().byte(105).word(identifier).word(1 | 4 | 8).long(size).word(permissions).word(time).word(time)
  }
}
