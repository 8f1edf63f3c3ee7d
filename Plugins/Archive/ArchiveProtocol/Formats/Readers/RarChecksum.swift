/// The CRC-32 of a member of a rar archive. libarchive 3.6 checks it for packed members, but not for stored ones.
enum RarChecksum {
  /// - Parameter position: of the member's header, or of headers before it that are of no member.
  /// - Returns: nil where there is none, as in a rar 5 archive that uses BLAKE2 alone.
  static func find(_ format: ArchiveFormat, in source: any ByteSource, at position: Int64) throws -> UInt32? {
    var position = position
    // A member's header stands after a few others at most.
    for _ in 0..<16 {
      let bytes = try source.bytes(at: position, count: 128)
      let length: Int64
      if bytes.starts(with: [0x52, 0x61, 0x72, 0x21, 0x1a, 7]) {
        length = format == .rar5 ? 8 : 7
      } else {
        switch format == .rar5 ? version5(bytes) : version4(bytes) {
        case .member(let checksum): return checksum
        case .other(let blockLength): length = blockLength
        case nil: return nil
        }
      }
      let (next, overflow) = position.addingReportingOverflow(length)
      guard length > 0, !overflow else { return nil }
      position = next
    }
    return nil
  }

  private enum Block {
    case member(UInt32?)
    case other(length: Int64)
  }

  /// CRC of the header (2 bytes), type (1), flags (2), length (2); a file's CRC stands at 16 (rar's technote.txt).
  private static func version4(_ bytes: [UInt8]) -> Block? {
    guard bytes.count >= 7 else { return nil }
    if bytes[2] == 0x74 {
      return bytes.count < 20 ? nil : .member(UInt32(truncatingIfNeeded: bytes[16..<20].littleEndian))
    }
    var length = bytes[5..<7].littleEndian
    if bytes[4] & 0x80 != 0 {
      guard bytes.count >= 11 else { return nil }
      length += bytes[7..<11].littleEndian
    }
    return .other(length: Int64(length))
  }

  /// RAR 5.0 archive format, "General archive block format" and "File header and service header".
  private static func version5(_ bytes: [UInt8]) -> Block? {
    var rest = bytes.dropFirst(4)
    guard let size = Rar5Header.number(&rest) else { return nil }
    let headerStart = rest.startIndex
    guard let type = Rar5Header.number(&rest), let flags = Rar5Header.number(&rest) else { return nil }
    if flags & 1 != 0 { _ = Rar5Header.number(&rest) }
    let dataSize = flags & 2 != 0 ? Rar5Header.number(&rest) : 0
    guard type == 2 else {
      guard let dataSize, size < 1 << 32, dataSize < 1 << 62 else { return nil }
      return .other(length: Int64(headerStart) + Int64(size) + Int64(dataSize))
    }
    guard let fileFlags = Rar5Header.number(&rest), Rar5Header.number(&rest) != nil, Rar5Header.number(&rest) != nil
    else {
      return nil
    }
    if fileFlags & 2 != 0 { rest = rest.dropFirst(4) }
    guard fileFlags & 4 != 0 else { return .member(nil) }
    guard rest.count >= 4 else { return nil }
    return .member(UInt32(truncatingIfNeeded: rest.prefix(4).littleEndian))
  }
}
