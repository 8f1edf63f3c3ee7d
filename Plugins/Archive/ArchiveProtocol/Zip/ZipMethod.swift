/// How a member is packed (APPNOTE 4.4.5).
enum ZipMethod {
  static let stored: UInt16 = 0
  static let lzma: UInt16 = 14
  static let zstandard: UInt16 = 93
  /// WinZip's AES; an extra field has the method.
  static let aes: UInt16 = 99

  /// Those that libarchive unpacks: deflate, bzip2, LZMA, Zstandard, xz, PPMd.
  static let decodable: Set<UInt16> = [8, 12, 14, 93, 95, 98]
  /// Those that libarchive unpacks after WinZip's AES.
  static let decryptable: Set<UInt16> = [0, 8]

  static func name(_ method: UInt16) -> String {
    switch method {
    case 0: "stored"
    case 1: "Shrink"
    case 2...5: "Reduce"
    case 6: "Implode"
    case 8: "Deflate"
    case 9: "Deflate64"
    case 10: "PKWARE DCL Implode"
    case 12: "BZIP2"
    case 14: "LZMA"
    case 16: "CMPSC"
    case 18: "TERSE"
    case 19: "LZ77"
    case 20, 93: "Zstandard"
    case 94: "MP3"
    case 95: "XZ"
    case 96: "JPEG"
    case 97: "WavPack"
    case 98: "PPMd"
    case 99: "AES"
    default: "method \(method)"
    }
  }
}
