import Foundation

/// A tar archive of GNU's old format with sparse files, as no program writes it.
package enum SparseTar {
  /// One file that is a single hole, and the archive's end.
  package static func hole(named name: String, size: UInt64) -> Data {
    var header = [UInt8](repeating: 0, count: 512)
    func put(_ text: String, at position: Int) {
      header.replaceSubrange(position..<(position + text.utf8.count), with: Array(text.utf8))
    }
    put(name, at: 0)
    put("0000644", at: 100)
    put("00000000000", at: 124)
    put("00000000000", at: 136)
    put("S", at: 156)
    put("ustar  ", at: 257)
    // One piece of no bytes at position 0, and the size in base 256.
    put("00000000000", at: 386)
    put("00000000000", at: 398)
    header.replaceSubrange(483..<495, with: [0x80, 0, 0, 0] + withUnsafeBytes(of: size.bigEndian, Array.init))
    let sum = header.enumerated().reduce(0) { $0 + ((148..<156).contains($1.offset) ? 32 : Int($1.element)) }
    let octal = String(sum, radix: 8)
    put(String(repeating: "0", count: 6 - octal.count) + octal, at: 148)
    header[155] = 0x20
    return Data(header) + Data(count: 1024)
  }
}
