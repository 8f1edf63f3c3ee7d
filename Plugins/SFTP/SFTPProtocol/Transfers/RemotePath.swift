import URLLoading
internal import URLLoadingBase

/// The path of a URL on a server. Version 3 defines no encoding for its bytes.
///
/// Paths are absolute, except after the segment `~`, the login directory.
struct RemotePath: Hashable, Sendable {
  /// Without a slash at the end.
  let bytes: [UInt8]
  /// Whether the URL ends in a slash.
  let namesDirectory: Bool

  /// - Throws: `URLError.badURL` for a path that no file can have.
  init(of url: URL) throws(URLError) {
    guard url.query(percentEncoded: true) == nil else {
      throw URLError(
        .badURL, message: "An SFTP URL has no query: a question mark in a file's name is written %3F.", url: url)
    }
    let text = Array(url.path(percentEncoded: true).utf8)
    var bytes = PercentEncoding.decoded(text)
    guard !bytes.contains(0) else {
      throw URLError(.badURL, message: "The path contains a NUL byte, which no file's name has.", url: url)
    }
    let slash = UInt8(ascii: "/")
    namesDirectory = bytes.isEmpty || bytes.last == slash || bytes == Array("/~".utf8)
    while bytes.count > 1, bytes.last == slash { bytes.removeLast() }
    // An encoded tilde is the name of a file.
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

  /// A hidden, random name beside the file at `path`, not longer than a name may be.
  static func temporary(for path: [UInt8]) -> [UInt8] {
    sibling(of: path) { name in
      let number = String(UInt64.random(in: 0 ... .max), radix: 16)
      var beginning = name.prefix(200)
      // Up to the last character that begins there: file systems such as APFS refuse a part of one.
      if beginning.count < name.count {
        beginning = beginning[..<(beginning.lastIndex { $0 & 0xC0 != 0x80 } ?? name.startIndex)]
      }
      return Array(".".utf8) + beginning + Array(".\(number).part".utf8)
    }
  }

  /// The URL of another file on the server of `url`.
  static func url(of path: [UInt8], on url: URL) -> URL {
    let unreserved = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/".utf8)
    var escaped: [UInt8] = []
    for byte in path {
      if unreserved.contains(byte) {
        escaped.append(byte)
      } else {
        PercentEncoding.appendEscape(of: byte, to: &escaped)
      }
    }
    let text = String(decoding: escaped, as: UTF8.self)
    guard var components = URLComponents(url: url, resolvingAgainstBaseURL: true) else { return url }
    // An encoded tilde is the name of a file.
    let isAbsolute = path.first == UInt8(ascii: "/")
    let isTilde = text == "/~" || text.hasPrefix("/~/")
    components.percentEncodedPath = isAbsolute ? (isTilde ? "/%7E" + text.dropFirst(2) : text) : "/~/" + text
    components.query = nil
    components.fragment = nil
    return components.url ?? url
  }
}
