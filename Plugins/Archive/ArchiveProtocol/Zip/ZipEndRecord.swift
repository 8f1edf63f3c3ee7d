/// What zip's end records say (APPNOTE 4.3.14 and 4.3.16).
struct ZipEndRecord: Equatable {
  static let size = 22
  static let locatorSize = 20
  /// Without what later versions may append.
  static let zip64Size = 56
  static let maximumCommentLength = 65_535

  var disk: UInt32
  var directoryDisk: UInt32
  var membersOnDisk: UInt64
  var members: UInt64
  var directorySize: UInt64
  var directoryOffset: UInt64
  /// Else the count may be the low 16 bits only, as some old tools write it.
  var isZip64: Bool

  /// Reads the end record whose signature is at a position.
  init(endRecord bytes: UnsafeRawBufferPointer, at position: Int) {
    disk = UInt32(bytes.uint16(at: position + 4))
    directoryDisk = UInt32(bytes.uint16(at: position + 6))
    membersOnDisk = UInt64(bytes.uint16(at: position + 8))
    members = UInt64(bytes.uint16(at: position + 10))
    directorySize = UInt64(bytes.uint32(at: position + 12))
    directoryOffset = UInt64(bytes.uint32(at: position + 16))
    isZip64 = false
  }

  /// Reads the zip64 end record that the bytes begin with.
  init(zip64 bytes: UnsafeRawBufferPointer) {
    disk = bytes.uint32(at: 16)
    directoryDisk = bytes.uint32(at: 20)
    membersOnDisk = bytes.uint64(at: 24)
    members = bytes.uint64(at: 32)
    directorySize = bytes.uint64(at: 40)
    directoryOffset = bytes.uint64(at: 48)
    isZip64 = true
  }

  /// Whether a zip64 record has the same values, where they fit into this one (APPNOTE 4.4.1.4).
  func agrees(with zip64: ZipEndRecord) -> Bool {
    (members == 0xFFFF || members == zip64.members)
      && (directorySize == 0xFFFF_FFFF || directorySize == zip64.directorySize)
      && (directoryOffset == 0xFFFF_FFFF || directoryOffset == zip64.directoryOffset)
  }
}
