/// The header of a member of an LHA archive: a method such as `-lh5-`, and for levels 0 and 1 a checksum.
enum LhaHeader {
  static func isPlausible(_ head: [UInt8]) -> Bool {
    guard head.count >= 22, head[2] == 0x2d, head[3] == 0x6c, head[6] == 0x2d, head[4] == 0x68 || head[4] == 0x7a else {
      return false
    }
    let methods = Array("01234567ds".utf8)
    guard methods.contains(head[5]), head[20] <= 3 else { return false }
    guard head[20] < 2 else { return true }
    let end = Int(head[0]) + 2
    guard head.count >= end, end > 22 else { return false }
    return head[2..<end].reduce(UInt8(0), &+) == head[1]
  }
}
