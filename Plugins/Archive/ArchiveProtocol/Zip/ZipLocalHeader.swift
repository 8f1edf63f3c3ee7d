/// The header in front of a member's data (APPNOTE 4.3.7): what the directory does not have.
struct ZipLocalHeader: Equatable {
  /// The extra field of WinZip's AES.
  struct AES: Equatable {
    var version: UInt16
    var strength: UInt8
    var method: UInt16
  }

  /// The bytes from the header's start to the data.
  var size: Int
  var flags: UInt16
  var method: UInt16
  var dosTime: UInt16
  var dosDate: UInt16
  var aes: AES?
}

extension ZipLocalHeader {
  /// The longest name and the longest extra fields included.
  static let maximumSize = ZipExtents.localHeaderSize + 2 * 65_535

  /// The size of a header, by its first 30 bytes; nil where it is not one.
  static func size(_ bytes: UnsafeRawBufferPointer) -> Int? {
    guard bytes.count >= ZipExtents.localHeaderSize, bytes.uint32(at: 0) == ZipSignature.localHeader else { return nil }
    return Int(ZipExtents.localHeaderSize) + Int(bytes.uint16(at: 26)) + Int(bytes.uint16(at: 28))
  }

  /// Reads a header, and compares it with the directory. Sizes and checksum are not compared, because they may stand after the
  /// data; the decoded bytes are compared with those in the directory.
  init(_ bytes: UnsafeRawBufferPointer, of entry: ArchiveEntry, method: UInt16, flags: UInt16) throws(ArchiveError) {
    guard let size = Self.size(bytes), size <= bytes.count else {
      throw .damaged("there is no local header where its directory says")
    }
    self.size = size
    self.flags = bytes.uint16(at: 6)
    self.method = bytes.uint16(at: 8)
    dosTime = bytes.uint16(at: 10)
    dosDate = bytes.uint16(at: 12)
    let nameEnd = Int(ZipExtents.localHeaderSize) + Int(bytes.uint16(at: 26))
    var unicodePath: Range<Int>?
    for (identifier, data) in ZipExtraFields(bytes, in: nameEnd..<size) {
      if identifier == ZipExtraFields.Identifier.unicodePath { unicodePath = data }
      if identifier == ZipExtraFields.Identifier.aes, data.count >= 7 {
        aes = AES(
          version: bytes.uint16(at: data.lowerBound), strength: bytes[data.lowerBound + 4],
          method: bytes.uint16(at: data.lowerBound + 5))
      }
    }
    guard self.method == method, (self.flags ^ flags) & ZipFlags.encrypted == 0 else {
      throw .damaged(
        """
        its directory says \(Self.description(method, flags)), its local header \
        \(Self.description(self.method, self.flags))
        """)
    }
    // Only the directory says which system made the name, which decides what a backslash means; and some tools set the flag for
    // UTF-8 in one place only.
    let variants = [(self.flags, false), (self.flags, true), (flags, false), (flags, true)]
    let names = variants.map { flags, backslashes in
      ZipName(
        bytes, in: Int(ZipExtents.localHeaderSize)..<nameEnd, unicodePath: unicodePath, flags: flags,
        hasBackslashes: backslashes
      ).path
    }
    // Two names that both say UTF-8 have the same coding.
    let isCodingKnown = self.flags & flags & ZipName.utf8Flag != 0
    guard
      names.contains(entry.path)
        || (!isCodingKnown && names.contains { ZipNameCoding.canBeSame($0, entry.path) })
    else {
      let local = String(decoding: names.first ?? [], as: UTF8.self)
      throw .damaged("its directory has another name than its local header, where it is '\(local)'")
    }
  }

  private static func description(_ method: UInt16, _ flags: UInt16) -> String {
    ZipMethod.name(method) + (flags & ZipFlags.encrypted != 0 ? ", encrypted" : "")
  }
}
