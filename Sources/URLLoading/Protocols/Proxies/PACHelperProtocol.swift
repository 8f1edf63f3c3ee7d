/// The lines that go to and from the program that runs scripts; the article Architecture has them. A value without I/O.
enum PACHelperProtocol {
  static let version = "1"
  /// Bytes of a line that is taken.
  static let lineLimit = 64 << 10
  /// Bytes of a script.
  static let scriptLimit = 1 << 20

  enum Reply: Equatable {
    case ready(version: String)
    case missing(String)
    case ok
    case result(String)
    case error(String)
  }

  static func reply(_ line: String) -> Reply? {
    let parts = line.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
    let text = parts.count > 1 ? String(parts[1]).trimmingCharacters(in: .whitespaces) : ""
    switch parts[0] {
    case "urlload-pac": return .ready(version: text)
    case "missing": return .missing(text)
    case "ok": return .ok
    case "result": return .result(text)
    case "error": return .error(text)
    default: return nil
    }
  }

  static func command(script: String) -> [UInt8] {
    let bytes = Array(script.utf8)
    return Array("script \(bytes.count)\n".utf8) + bytes
  }

  static func command(find question: PACQuestion) -> [UInt8] { Array("find \(question.url) \(question.host)\n".utf8) }
}
