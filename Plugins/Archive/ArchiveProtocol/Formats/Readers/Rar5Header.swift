/// The main header of a rar 5 archive (RAR 5.0 archive format, "Main archive header").
enum Rar5Header {
  /// Whether members are packed together; true, which costs time only, where the header cannot be read.
  static func isSolid(_ head: [UInt8]) -> Bool {
    var rest = head.dropFirst(8 + 4)  // the signature, and the header's CRC
    guard number(&rest) != nil, let type = number(&rest), let flags = number(&rest) else { return true }
    // An encryption header may come first; what follows is not readable then.
    guard type == 1 else { return true }
    if flags & 1 != 0 { _ = number(&rest) }
    guard let archiveFlags = number(&rest) else { return true }
    return archiveFlags & 4 != 0
  }

  /// Seven bits a byte, the least significant first.
  static func number(_ bytes: inout ArraySlice<UInt8>) -> UInt64? {
    var value: UInt64 = 0
    for index in 0..<10 {
      guard let byte = bytes.popFirst() else { return nil }
      value |= UInt64(byte & 0x7f) << UInt64(7 * index)
      if byte & 0x80 == 0 { return value }
    }
    return nil
  }
}
