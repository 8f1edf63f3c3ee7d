/// The path that a `file:` URL names, as the bytes that system calls take: names of files need not be UTF-8.
struct FilePath {
  /// With a NUL at the end.
  let characters: [CChar]

  /// Only this machine's files are ours.
  init(_ url: URL) throws(URLError) {
    if let host = url.host(percentEncoded: false), !host.isEmpty, host.lowercased() != "localhost" {
      throw URLError(
        .fileDoesNotExist, message: "A file: URL names files of this machine, not of \"\(host)\".", url: url)
    }
    let bytes = Self.decoded(url.path(percentEncoded: true))
    guard !bytes.isEmpty, !bytes.contains(0) else {
      throw URLError(.badURL, message: "The file: URL has no usable path.", url: url)
    }
    characters = bytes.map { CChar(bitPattern: $0) } + [0]
  }

  /// The path as text; nil where it is no UTF-8.
  var text: String? { String(validating: characters.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self) }

  /// RFC 3986, section 2.1. A percent sign that begins no octet stands for itself.
  private static func decoded(_ path: String) -> [UInt8] {
    var result: [UInt8] = []
    let bytes = Array(path.utf8)
    var index = 0
    while index < bytes.count {
      if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count,
        let high = Character(UnicodeScalar(bytes[index + 1])).hexDigitValue,
        let low = Character(UnicodeScalar(bytes[index + 2])).hexDigitValue
      {
        result.append(UInt8(high << 4 | low))
        index += 3
      } else {
        result.append(bytes[index])
        index += 1
      }
    }
    return result
  }
}
