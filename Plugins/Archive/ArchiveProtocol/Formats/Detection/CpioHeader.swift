/// The header of a cpio member.
enum CpioHeader {
  static func isPlausible(_ head: [UInt8]) -> Bool {
    let text = head.prefix(110)
    if text.starts(with: Array("070701".utf8)) || text.starts(with: Array("070702".utf8)) {
      return text.count == 110 && text[6...].allSatisfy("0123456789abcdefABCDEF".utf8.contains)
    }
    if text.starts(with: Array("070707".utf8)) {
      return text.count >= 76 && text[6..<76].allSatisfy { (0x30...0x37).contains($0) }
    }
    return isPlausibleBinary(head)
  }

  /// The old binary format has a magic of two bytes only, so the file's type, the name's length and its final zero byte count, too.
  private static func isPlausibleBinary(_ head: [UInt8]) -> Bool {
    guard head.count >= 27 else { return false }
    let isLittleEndian: Bool
    switch (head[0], head[1]) {
    case (0xc7, 0x71): isLittleEndian = true
    case (0x71, 0xc7): isLittleEndian = false
    default: return false
    }
    func word(_ offset: Int) -> Int {
      let (first, second) = (Int(head[offset]), Int(head[offset + 1]))
      return isLittleEndian ? first | second << 8 : first << 8 | second
    }
    let types: Set<Int> = [0, 0o010000, 0o020000, 0o040000, 0o060000, 0o100000, 0o120000, 0o140000]
    let nameLength = word(20)
    guard types.contains(word(6) & 0o170000), (2...4096).contains(nameLength), head.count >= 26 + nameLength else {
      return false
    }
    let name = head[26..<(26 + nameLength)]
    return name.last == 0 && !name.dropLast().contains(0)
  }
}
