internal import URLLoadingHTTPSemantics

/// Turns the bytes of an FTP server's listing into entries, however they are cut. A value that does no I/O.
///
/// A line that cannot be parsed ends the listing: without its line the listing would seem complete.
struct FTPListing {
  /// What the server was asked for.
  enum Format: Equatable {
    /// MLSD (RFC 3659, section 7).
    case facts
    /// LIST, which is meant for people (RFC 959, section 4.1.3).
    case text

    /// What asks for it.
    var command: String { self == .facts ? "MLSD" : "LIST" }
  }

  /// What came of some bytes: entries, and what ends the listing after them.
  struct Piece: Equatable {
    var entries: [URLDirectoryEntry] = []
    var failureReason: String?
  }

  /// The longest line, in bytes.
  static let longestLine = 65_536

  private let format: Format
  private let directory: URL
  private let now: CivilDate
  private var rest: [UInt8] = []
  private var hasFailed = false

  /// - Parameter now: decides the year of dates that have none.
  init(_ format: Format, of directory: URL, now: Date) {
    self.format = format
    self.directory = directory
    self.now = CivilDate(now)
  }

  /// Takes more bytes. After a failure nothing more is read.
  mutating func receive(_ bytes: UnsafeRawBufferPointer) -> Piece {
    var piece = Piece()
    var start = bytes.startIndex
    while !hasFailed, start < bytes.endIndex {
      guard let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) else {
        take(bytes[start...], &piece)
        break
      }
      take(bytes[start..<end], &piece)
      if !hasFailed { readLine(&piece) }
      start = end + 1
    }
    return piece
  }

  /// The bytes are over, as the server has confirmed. The last line may lack its end.
  mutating func finish() -> Piece {
    var piece = Piece()
    if !hasFailed, !rest.isEmpty { readLine(&piece) }
    return piece
  }

  private mutating func take(_ bytes: Slice<UnsafeRawBufferPointer>, _ piece: inout Piece) {
    guard rest.count + bytes.count <= Self.longestLine else {
      return fail("a line is longer than \(Self.longestLine) bytes", &piece)
    }
    rest += bytes
  }

  private mutating func readLine(_ piece: inout Piece) {
    defer { rest.removeAll(keepingCapacity: true) }
    let line = rest.last == UInt8(ascii: "\r") ? rest.dropLast() : rest[...]
    guard !line.isEmpty else { return }
    switch format == .facts ? FTPFactLine.read(line) : FTPTextLine.read(line, now: now) {
    case .nothing: break
    case .unreadable:
      fail("it has a line in no format that is known, \(Self.excerpt(line))", &piece)
    case .file(let file):
      let entry = URLDirectoryEntry(
        nameBytes: file.name, in: directory, kind: file.kind, size: file.size, modificationDate: file.date)
      // Nil for the directory itself, the one above, and a name that would lead elsewhere.
      if let entry { piece.entries.append(entry) }
    }
  }

  private mutating func fail(_ reason: String, _ piece: inout Piece) {
    hasFailed = true
    rest = []
    piece.failureReason = reason
  }

  private static func excerpt(_ line: ArraySlice<UInt8>) -> String {
    String(decoding: line.prefix(100), as: UTF8.self).debugDescription
  }
}
