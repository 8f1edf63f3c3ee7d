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
    let decoded = Self.decoded(rest)
    let name = decoded[((decoded.lastIndex(of: UInt8(ascii: "/")) ?? -1) + 1)...]
    // libcurl refuses control characters, which could end a command.
    file = name.isEmpty || decoded.contains { $0 < 32 } ? nil : Array(name)
  }

  private static func decoded(_ text: ArraySlice<UInt8>) -> [UInt8] {
    var bytes: [UInt8] = []
    var index = text.startIndex
    while index < text.endIndex {
      if text[index] == UInt8(ascii: "%"), index + 2 < text.endIndex, let high = digit(text[index + 1]),
        let low = digit(text[index + 2])
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

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte.asciiLowercased {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte.asciiLowercased - UInt8(ascii: "a") + 10
    default: nil
    }
  }
}
