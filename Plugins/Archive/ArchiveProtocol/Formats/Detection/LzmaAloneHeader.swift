/// The header of a `.lzma` file. It has no magic, so all fields have to be what encoders write (the LZMA SDK's lzma.txt).
enum LzmaAloneHeader {
  static func isPlausible(_ head: [UInt8]) -> Bool {
    // The first byte of the range coder after the 13 bytes of the header is always zero.
    guard head.count >= 18, head[0] < 225, head[13] == 0 else { return false }
    let dictionary = head[1..<5].littleEndian
    let size = head[5..<13].littleEndian
    guard size == .max || size < 1 << 38 else { return false }
    let isPower = dictionary.nonzeroBitCount == 1
    let isPowerAndHalf = dictionary.nonzeroBitCount == 2 && dictionary & (dictionary << 1) != 0
    return dictionary == 0xffff_ffff || (dictionary >= 4096 && (isPower || isPowerAndHalf))
  }
}
