internal import URLLoadingBase

/// What the path of an FTP URL names, for commands that change it (RFC 1738, section 3.2.2): nothing of it is left out, and nothing guessed.
package struct FTPName: Sendable, Equatable {
  /// Why a path names nothing that could be changed, in words that go on from the URL.
  package struct Defect: Error {
    package let words: String
  }

  /// The directories on the way, from that which a login leads to, and the thing itself, as they stand in commands. A slash first makes the path
  /// absolute.
  let parts: [[UInt8]]
  /// Whether the path ends with a slash.
  let namesDirectory: Bool

  /// - Parameter path: percent-encoded, with the slash that ends the URL's authority.
  package init(path: String) throws(Defect) {
    // Transfers leave out what follows; a deletion would leave out the end of a name.
    guard !path.lowercased().contains(";type=") else {
      throw Defect(words: "has the type of a transfer (;type=); a semicolon in a file's name is written %3B")
    }
    let bytes = PercentEncoding.decoded(path.utf8.dropFirst())
    guard !bytes.contains(where: { $0 < 32 }) else {
      throw Defect(words: "has a control character in its path, which could end a command (RFC 959, section 5.3)")
    }
    // Servers may take it, and what follows, out of the line (RFC 854); the rest would be another name.
    guard !bytes.contains(255) else {
      throw Defect(
        words: "has the byte FF in its path, which begins a command of Telnet on the connection to the server")
    }
    let slash = UInt8(ascii: "/")
    let names = bytes.split(separator: slash).map { Array($0) }
    guard names.last.map({ $0 != Array(".".utf8) && $0 != Array("..".utf8) }) ?? true else {
      throw Defect(words: "ends with a dot segment, and does not name the directory that it leads to")
    }
    parts = bytes.first == slash ? [[slash]] + names : names
    namesDirectory = bytes.isEmpty || bytes.last == slash
  }

  /// The root, or the directory that a login leads to, has no name in another directory.
  package var isOfDirectoryWithoutName: Bool { parts.isEmpty || parts == [[UInt8(ascii: "/")]] }

  /// Names of one thing, whether a slash says that it is a directory or not.
  package func isSame(as other: FTPName) -> Bool { parts == other.parts }
}
