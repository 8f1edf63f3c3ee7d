import URLLoading
internal import URLLoadingBase

/// Where a command on resources works: a URL, or a path of this machine, since such commands have both among their arguments.
enum ResourcePlace {
  /// Reads an argument: what has a scheme or names a member of an archive is a URL, all else a path.
  static func url(_ text: String) throws(Failure) -> URL {
    guard !text.isEmpty else {
      throw Failure(.usage, "an argument is empty", advice: "name a URL or a path")
    }
    return hasScheme(text) || text.contains("!/") ? try OptionReader.url(text) : URL(fileURLWithPath: text)
  }

  /// Whether a scheme is in front (RFC 3986, section 3.1); a file whose name looks so is written with `./`.
  private static func hasScheme(_ text: String) -> Bool {
    guard let colon = text.firstIndex(of: ":"), let first = text.utf8.first, first.isLetter else { return false }
    return text[..<colon].utf8.allSatisfy { $0.isLetter || $0.isDigit || "+-.".utf8.contains($0) }
  }

  /// What something is called below a directory: its own name.
  static func url(of source: URL, in directory: URL) -> URL? {
    let name = PercentEncoding.decoded(
      Array(source.path(percentEncoded: true).utf8).split(separator: UInt8(ascii: "/")).last.map { Array($0) } ?? [])
    return URLDirectoryEntry(nameBytes: name, in: directory, kind: .unknown)?.url
  }
}

extension UInt8 {
  fileprivate var isLetter: Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self) || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self)
  }

  fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
}
