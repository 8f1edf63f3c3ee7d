/// Goes through the XML document of a xar archive, and counts the links of each file.
///
/// What could make another reader see another document than this one is refused: a document type, whose entities and default attributes
/// add to the document, and codings in which ASCII characters are not themselves. No tool writes these.
struct XarLinkScanner {
  private static let codings = ["utf-8", "utf8", "us-ascii", "ascii", "iso-8859-1"]
  /// libxml2 reads no deeper document.
  private static let maximumDepth = 2048

  private let bytes: [UInt8]
  private var position = 0
  /// The links of each open element that is a file, and nil for the others.
  private var open: [Int?] = []

  init(_ document: [UInt8]) { bytes = document }

  /// Throws for a document in which a file has several links, or that cannot be judged.
  mutating func scan() throws(ArchiveError) {
    guard !bytes.contains(0) else { throw Self.unreadable }
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
    if starts(with: "<?xml") { try checkCoding() }
    guard bytes[position...].first(where: { !Self.isSpace($0) }) == UInt8(ascii: "<") else { throw Self.malformed }
    while let tag = bytes[position...].firstIndex(of: UInt8(ascii: "<")) {
      position = tag
      if starts(with: "<!--") {
        try skip(behind: "-->", from: 4)
      } else if starts(with: "<![CDATA[") {
        try skip(behind: "]]>", from: 9)
      } else if starts(with: "<?") {
        try skip(behind: "?>", from: 2)
      } else if starts(with: "<!") {
        throw .unsupported("a table of contents of xar with a document type")
      } else if starts(with: "</") {
        try skip(behind: ">", from: 2)
        guard open.popLast() != nil else { throw Self.malformed }
      } else {
        try scanElement()
      }
    }
    guard open.isEmpty else { throw Self.malformed }
  }

  private static let malformed = ArchiveError.damaged("the table of contents of xar is no XML document")
  private static let unreadable = ArchiveError.unsupported("a table of contents of xar in another coding than UTF-8")

  /// Reads a start tag. Names are compared without their prefixes, as by libarchive.
  private mutating func scanElement() throws(ArchiveError) {
    position += 1
    let name = localName()
    guard !name.isEmpty else { throw Self.malformed }
    var links = 0
    while true {
      skipSpaces()
      if starts(with: "/>") {
        position += 2
        return try count(links, of: name)
      }
      if starts(with: ">") {
        position += 1
        try count(links, of: name)
        guard open.count < Self.maximumDepth else { throw Self.malformed }
        open.append(name.elementsEqual("file".utf8) ? 0 : nil)
        return
      }
      let attribute = localName()
      guard !attribute.isEmpty else { throw Self.malformed }
      skipSpaces()
      guard starts(with: "=") else { throw Self.malformed }
      position += 1
      skipSpaces()
      guard starts(with: "\"") || starts(with: "'") else { throw Self.malformed }
      let quote = bytes[position]
      guard let end = bytes[(position + 1)...].firstIndex(of: quote) else { throw Self.malformed }
      position = end + 1
      if attribute.elementsEqual("link".utf8) { links += 1 }
    }
  }

  /// Adds the links of an element to those of the file that it belongs to.
  private mutating func count(_ links: Int, of element: ArraySlice<UInt8>) throws(ArchiveError) {
    guard links > 0, element.elementsEqual("type".utf8), let file = open.lastIndex(where: { $0 != nil }) else { return }
    let sum = (open[file] ?? 0) + links
    guard sum == 1 else { throw .damaged("a file in the table of contents of xar has several links") }
    open[file] = sum
  }

  private mutating func checkCoding() throws(ArchiveError) {
    let start = position
    try skip(behind: "?>", from: 5)
    let declaration = String(decoding: bytes[start..<position], as: UTF8.self)
    guard let name = declaration.firstRange(of: "encoding") else { return }
    let quoted = declaration[name.upperBound...].split(omittingEmptySubsequences: false) { $0 == "\"" || $0 == "'" }
    guard quoted.count > 1, Self.codings.contains(quoted[1].lowercased()) else { throw Self.unreadable }
  }

  // MARK: Characters

  private func starts(with text: StaticString) -> Bool {
    text.withUTF8Buffer { bytes[position...].starts(with: $0) }
  }

  private mutating func skip(behind end: StaticString, from offset: Int) throws(ArchiveError) {
    position += offset
    while position < bytes.count {
      if starts(with: end) {
        position += end.utf8CodeUnitCount
        return
      }
      position += 1
    }
    throw Self.malformed
  }

  private mutating func skipSpaces() {
    while position < bytes.count, Self.isSpace(bytes[position]) { position += 1 }
  }

  /// Takes a name.
  /// - Returns: what follows its last colon.
  private mutating func localName() -> ArraySlice<UInt8> {
    let start = position
    while position < bytes.count, !Self.isSpace(bytes[position]), !"=/>\"'<".utf8.contains(bytes[position]) {
      position += 1
    }
    let name = bytes[start..<position]
    return name.lastIndex(of: UInt8(ascii: ":")).map { name[($0 + 1)...] } ?? name
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}
