internal import URLLoadingBase

/// What the path of an FTP URL names, in the way in which libcurl takes it apart (RFC 1738, section 3.2.2).
package struct FTPPath {
  /// The name of the file, decoded, as it stands in commands; nil where the path ends with a folder.
  package let file: [UInt8]?
  /// The letter after `;type=`, in lower case.
  private let type: UInt8?

  /// The file comes as text, whose line ends differ from those of the file that the server has.
  package var isText: Bool { type == UInt8(ascii: "a") }

  /// A listing is wanted.
  package var isListing: Bool { type == UInt8(ascii: "d") }

  package init(url: String) {
    var rest = Array(url.utf8)[...]
    for _ in 0..<3 { rest = rest[((rest.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex - 1) + 1)...] }
    rest = rest.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
    let marker = Array(";type=".utf8)
    var type: UInt8?
    // libcurl looks for the first, wherever it stands.
    for start in rest.indices where rest[start...].starts(with: marker) {
      type = rest[start...].dropFirst(marker.count).first?.asciiLowercased
      rest = rest[..<start]
      break
    }
    self.type = type
    let decoded = PercentEncoding.decoded(rest)
    let name = decoded[((decoded.lastIndex(of: UInt8(ascii: "/")) ?? -1) + 1)...]
    // libcurl refuses control characters, which could end a command.
    file = name.isEmpty || decoded.contains { $0 < 32 } ? nil : Array(name)
  }

  /// The path of the folder that has the file, percent-encoded as that of the file is. It ends with a slash, which may be encoded.
  package static func folder(of path: String) -> String {
    let path = path.firstRange(of: ";type=").map { path[..<$0.lowerBound] } ?? path[...]
    let ends = ["/", "%2F", "%2f"].compactMap { path.ranges(of: $0).last?.upperBound }
    return String(path[..<(ends.max() ?? path.startIndex)])
  }
}
