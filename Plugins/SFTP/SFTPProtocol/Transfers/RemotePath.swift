import URLLoading

/// Where on a server a URL points: bytes, since servers promise no encoding.
///
/// Paths are absolute, but for those that begin with the segment `~`, which is the directory that the user is logged in to.
struct RemotePath: Hashable, Sendable {
  /// As the server is asked for it: without a slash at the end.
  let bytes: [UInt8]
  /// Whether the URL says that it means a directory, by a slash at its end.
  let namesDirectory: Bool

  /// Reads the path of a URL.
  /// - Throws: `URLError.badURL` for one that no file can have.
  init(of url: URL) throws(URLError) {
    guard url.query(percentEncoded: true) == nil else {
      throw URLError(
        .badURL, message: "An SFTP URL has no query: a question mark in a file's name is written %3F.", url: url)
    }
    let text = Array(url.path(percentEncoded: true).utf8)
    var bytes = Self.decoded(text)
    guard !bytes.contains(0) else {
      throw URLError(.badURL, message: "The path contains a NUL byte, which no file's name has.", url: url)
    }
    let slash = UInt8(ascii: "/")
    namesDirectory = bytes.isEmpty || bytes.last == slash || bytes == Array("/~".utf8)
    while bytes.count > 1, bytes.last == slash { bytes.removeLast() }
    // The tilde has to stand there as such: an encoded one is the name of a file.
    if text == Array("/~".utf8) || text.starts(with: "/~/".utf8) {
      bytes = Array(bytes.dropFirst(2).drop { $0 == slash })
      if bytes.isEmpty { bytes = [UInt8(ascii: ".")] }
    }
    self.bytes = bytes.isEmpty ? [slash] : bytes
  }

  /// The name of a file beside the one at `path`.
  /// - Parameter makeName: gives the new name for the old one.
  static func sibling(of path: [UInt8], _ makeName: (ArraySlice<UInt8>) -> [UInt8]) -> [UInt8] {
    let start = path.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0
    return path[..<start] + makeName(path[start...])
  }

  /// A hidden name beside the file at `path` that nobody else makes; not longer than a name may be.
  static func temporary(for path: [UInt8]) -> [UInt8] {
    sibling(of: path) { name in
      let number = String(UInt64.random(in: 0 ... .max), radix: 16)
      return Array(".".utf8) + name.prefix(200) + Array(".\(number).part".utf8)
    }
  }

  /// The URL of another file on the server of `url`.
  /// - Parameter path: as the server is asked for it.
  static func url(of path: [UInt8], on url: URL) -> URL {
    let unreserved = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/".utf8)
    let text = path.map { byte in
      let digits = String(byte, radix: 16, uppercase: true)
      return unreserved.contains(byte)
        ? String(UnicodeScalar(byte)) : "%" + String(repeating: "0", count: 2 - digits.count) + digits
    }.joined()
    guard var components = URLComponents(url: url, resolvingAgainstBaseURL: true) else { return url }
    // An encoded tilde is the name of a file.
    let isAbsolute = path.first == UInt8(ascii: "/")
    let isTilde = text == "/~" || text.hasPrefix("/~/")
    components.percentEncodedPath = isAbsolute ? (isTilde ? "/%7E" + text.dropFirst(2) : text) : "/~/" + text
    components.query = nil
    components.fragment = nil
    return components.url ?? url
  }

  private static func decoded(_ text: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count)
    var index = 0
    while index < text.count {
      if text[index] == UInt8(ascii: "%"), index + 2 < text.count, let high = hexDigit(text[index + 1]),
        let low = hexDigit(text[index + 2])
      {
        bytes.append(high << 4 | low)
        index += 3
      } else {
        bytes.append(text[index])
        index += 1
      }
    }
    return bytes
  }

  private static func hexDigit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x37
    case 0x61...0x66: byte - 0x57
    default: nil
    }
  }
}
