import URLLoading
internal import URLLoadingHTTPSemantics

/// Entries as lines of text.
struct EntryText {
  private struct Object: Encodable {
    let name: String
    let kind: String
    let size: Int64?
    let modified: Date?
    let url: String
  }

  private let form: ListOptions.Form
  private let isTerminal: Bool
  private let encoder = JSONEncoder()

  /// - Parameter isTerminal: whether control characters are escaped.
  init(form: ListOptions.Form, isTerminal: Bool) {
    self.form = form
    self.isTerminal = isTerminal
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .iso8601
  }

  /// The line without its end.
  /// - Parameter folder: the path from the listed directory to the entry's, with a slash at its end.
  func line(for entry: URLDirectoryEntry, in folder: [UInt8] = []) throws -> [UInt8] {
    switch form {
    case .names: shown(folder + entry.nameBytes)
    case .long: Array(Self.facts(of: entry).utf8) + shown(folder + entry.nameBytes)
    case .json: try object(entry)
    }
  }

  private func shown(_ path: [UInt8]) -> [UInt8] {
    isTerminal ? Array(SafeText.escaped(String(decoding: path, as: UTF8.self)).utf8) : path
  }

  /// Columns of fixed width.
  private static func facts(of entry: URLDirectoryEntry) -> String {
    let kind = entry.kind == .unknown ? "-" : entry.kind == .symbolicLink ? "link" : entry.kind.rawValue
    let size = entry.size.map { String($0) } ?? "-"
    let date = entry.modificationDate?.formatted(.iso8601) ?? "-"
    func blanks(_ text: String, _ width: Int) -> String { String(repeating: " ", count: max(0, width - text.count)) }
    return "\(kind)\(blanks(kind, 9)) \(blanks(size, 14))\(size)  \(date)\(blanks(date, 20))  "
  }

  private func object(_ entry: URLDirectoryEntry) throws -> [UInt8] {
    let kind = entry.kind == .symbolicLink ? "link" : entry.kind.rawValue
    let object = Object(
      name: entry.name, kind: kind, size: entry.size, modified: entry.modificationDate,
      url: URLSecrets.cleared(entry.url.absoluteString, .removePassword))
    return Array(try encoder.encode(object))
  }
}
