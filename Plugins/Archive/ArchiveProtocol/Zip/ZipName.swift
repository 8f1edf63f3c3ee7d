internal import URLLoadingCZlib

/// A member's name, decoded.
struct ZipName {
  /// APPNOTE 4.4.4: the name is UTF-8.
  static let utf8Flag: UInt16 = 1 << 11
  /// MS-DOS and its file systems (APPNOTE 4.4.2).
  static let dosHost: UInt8 = 0

  /// The member's canonical path.
  let path: [UInt8]
  /// Whether the name ends with a slash.
  let isDirectory: Bool

  /// Decodes a name: as UTF-8 where the flag says so (bytes that are not valid are kept); else from the Unicode path field, if that
  /// belongs to this name; else as UTF-8 where it is valid, because many tools do not set the flag; else as code page 437.
  /// - Parameters:
  ///   - bytes: where name and extra fields are.
  ///   - unicodePath: where the data of the Unicode path field is.
  ///   - hasBackslashes: whether a backslash separates directories, as under MS-DOS.
  init(
    _ bytes: UnsafeRawBufferPointer, in range: Range<Int>, unicodePath: Range<Int>?, flags: UInt16, hasBackslashes: Bool
  ) {
    let raw = UnsafeRawBufferPointer(rebasing: bytes[range])
    if flags & Self.utf8Flag == 0 {
      if let unicodePath, let name = Self.name(unicodePath: bytes, in: unicodePath, of: raw) {
        self.init(name, hasBackslashes: hasBackslashes)
        return
      }
      if !Self.isASCII(raw), String(validating: raw, as: UTF8.self) == nil {
        let text = CodePage437.utf8(raw)
        self = text.withUnsafeBytes { ZipName($0, hasBackslashes: hasBackslashes) }
        return
      }
    }
    self.init(raw, hasBackslashes: hasBackslashes)
  }

  private init(_ name: UnsafeRawBufferPointer, hasBackslashes: Bool) {
    if hasBackslashes, name.contains(UInt8(ascii: "\\")) {
      let slashed = name.map { $0 == UInt8(ascii: "\\") ? UInt8(ascii: "/") : $0 }
      path = ArchivePath.canonical(slashed)
      isDirectory = slashed.last == UInt8(ascii: "/")
    } else {
      path = ArchivePath.canonical(name)
      isDirectory = name.last == UInt8(ascii: "/")
    }
  }

  /// The name in the Unicode path field (APPNOTE 4.6.9): version 1, the checksum of the name that it replaces, the name.
  private static func name(
    unicodePath bytes: UnsafeRawBufferPointer, in data: Range<Int>, of raw: UnsafeRawBufferPointer
  ) -> UnsafeRawBufferPointer? {
    guard data.count >= 5, bytes[data.lowerBound] == 1 else { return nil }
    let checksum = crc32_z(0, raw.bindMemory(to: UInt8.self).baseAddress, raw.count)
    guard bytes.uint32(at: data.lowerBound + 1) == UInt32(truncatingIfNeeded: checksum) else { return nil }
    return UnsafeRawBufferPointer(rebasing: bytes[(data.lowerBound + 5)..<data.upperBound])
  }

  private static func isASCII(_ name: UnsafeRawBufferPointer) -> Bool {
    var all: UInt8 = 0
    for byte in name { all |= byte }
    return all < 0x80
  }
}
