internal import URLLoadingBase

/// The file in which a user names plugins: an absolute path a line; empty lines, and those that begin with `#`, say nothing.
struct PluginList: Equatable {
  /// The largest such file, in bytes.
  static let sizeLimit: Int64 = 64 << 10
  /// The longest path, in bytes of UTF-8: the kernel opens no longer one (`PATH_MAX`).
  private static let pathLimit = 4095

  /// Each once, in the order of the lines.
  private(set) var paths: [String] = []
  /// What is wrong with other lines, in words.
  private(set) var errors: [String] = []

  init(_ text: String) {
    // "\r\n" is one character, and a new line.
    for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
      let path = Self.trimmed(line)
      guard !path.isEmpty, !path.hasPrefix("#") else { continue }
      if !path.hasPrefix("/") {
        errors.append("line \(index + 1), \"\(ForeignText.line(path, limit: 200))\", is no absolute path")
      } else if path.utf8.count > Self.pathLimit {
        errors.append("line \(index + 1) has more than \(Self.pathLimit) bytes")
      } else if path.utf8.contains(0) {
        errors.append("line \(index + 1) has a zero byte")
      } else if !paths.contains(path) {
        paths.append(path)
      }
    }
  }

  private static func trimmed(_ line: Substring) -> String {
    var line = line
    while line.first?.isWhitespace == true { line.removeFirst() }
    while line.last?.isWhitespace == true { line.removeLast() }
    return String(line)
  }
}
