import Foundation

/// The Swift code of an article, as a program.
///
/// Each code block is a function of its own, called in the order of the article: a `return` ends that block alone. Its types and extensions are declared around
/// them. Comments of the page that the reader does not see steer it:
///
/// - `<!-- swift` … `-->` has code: in front of the first block for all of them, later at the beginning of the next block.
/// - `<!-- compiled -->` in front of a block: it is compiled, and not run.
/// - `<!-- from: PATH -->`: the block is in that file of the package, line by line, which is compiled and run elsewhere.
/// - `<!-- target -->`: the block is an element of a manifest's targets, which the tests have SwiftPM read.
///
/// A block of `text` right after one is what that prints. Every block names its language, so that no Swift passes unseen.
struct ArticleCode {
  enum Fault: Error, CustomStringConvertible {
    case unclosed(line: Int)
    case notInFile(String, line: Int)
    case unknownMark(String, line: Int)
    case unknownLanguage(String, line: Int)

    var description: String {
      switch self {
      case .unclosed(let line): "line \(line): a block is not closed"
      case .notInFile(let path, let line): "line \(line): the block is not in \(path)"
      case .unknownMark(let text, let line): "line \(line): the mark '\(text)' is unknown"
      case .unknownLanguage(let text, let line):
        "line \(line): a block is swift or one of \(ArticleCode.otherLanguages), not '\(text)'"
      }
    }
  }

  private enum Mark: Equatable { case compiled, target, from(String) }

  let name: String
  private let path: String
  private var imports: Set<String> = ["import Foundation", "import URLLoading"]
  private var declarations = ""
  private var extensions = ""
  private var body = ""
  private var isOpen = false
  private var hasBlock = false
  /// Whether the article has blocks of Swift, those included that are compiled elsewhere.
  private(set) var hasCode = false

  /// Languages whose blocks are passed over.
  private static let otherLanguages = ["sh", "text", "dockerfile"]

  /// Reads an article.
  /// - Parameter root: the package's folder.
  init(path: String, root: URL) throws {
    self.path = path
    name = URL(filePath: path).deletingPathExtension().lastPathComponent
    let lines = try String(contentsOfFile: path, encoding: .utf8).components(separatedBy: "\n")
    var index = 0
    var mark: Mark?
    while index < lines.count {
      let line = lines[index].trimmingCharacters(in: .whitespaces)
      index += 1
      if line == "<!-- swift" || line == "```swift" {
        let end = line.hasPrefix("<") ? "-->" : "```"
        let start = index
        let indentation = lines[index - 1].prefix { $0 == " " }.count
        var block: [String] = []
        while index < lines.count, lines[index].trimmingCharacters(in: .whitespaces) != end {
          block.append(String(lines[index].dropFirst(indentation)))
          index += 1
        }
        guard index < lines.count else { throw Fault.unclosed(line: start) }
        index += 1
        if end == "-->" {
          takeHidden(block, line: start + 1)
        } else {
          try takeVisible(block, line: start + 1, mark, root, output: Self.output(in: lines, from: &index))
          mark = nil
        }
      } else if line.hasPrefix("```") {
        let language = String(line.dropFirst(3))
        guard Self.otherLanguages.contains(language) else {
          throw Fault.unknownLanguage(language, line: index)
        }
        let start = index
        while index < lines.count, lines[index].trimmingCharacters(in: .whitespaces) != "```" { index += 1 }
        guard index < lines.count else { throw Fault.unclosed(line: start) }
        index += 1
      } else if line.hasPrefix("<!--"), line.hasSuffix("-->") {
        let text = line.dropFirst(4).dropLast(3).trimmingCharacters(in: .whitespaces)
        guard let known = Self.mark(text) else { throw Fault.unknownMark(text, line: index) }
        mark = known
      }
    }
    closeScope()
  }

  private static func mark(_ text: String) -> Mark? {
    switch text {
    case "compiled": .compiled
    case "target": .target
    case let text where text.hasPrefix("from: "): .from(String(text.dropFirst(6)))
    default: nil
    }
  }

  /// The text block that follows a code block at once, which is what it prints.
  private static func output(in lines: [String], from index: inout Int) -> String? {
    var next = index
    while next < lines.count, lines[next].isEmpty { next += 1 }
    guard next < lines.count, lines[next] == "```text" else { return nil }
    let start = next + 1
    next = start
    while next < lines.count, lines[next] != "```" { next += 1 }
    index = min(next + 1, lines.count)
    return lines[start..<next].joined(separator: "\n")
  }

  // MARK: Blocks

  private mutating func takeHidden(_ block: [String], line: Int) {
    if hasBlock, isOpen { closeScope() }
    if hasBlock { openScope() }
    add(block, line: line)
  }

  private mutating func takeVisible(_ block: [String], line: Int, _ mark: Mark?, _ root: URL, output: String?) throws {
    hasCode = true
    // A manifest is evaluated by the tests.
    if block.first?.hasPrefix("// swift-tools-version") == true { return }
    switch mark {
    case .target: return
    case .from(let path):
      let file = try String(contentsOf: root.appending(path: path), encoding: .utf8)
      guard file.contains(block.joined(separator: "\n")) else { throw Fault.notInFile(path, line: line) }
      return
    case .compiled, nil:
      // Hidden code in front of the block has opened its scope already.
      if isOpen, hasBlock, !opensNext { closeScope() }
    }
    if !isOpen { openScope() }
    opensNext = false
    hasBlock = true
    body += "func block\(line)() async throws {\n"
    add(block, line: line)
    body += "}\n"
    guard mark != .compiled else {
      body += "_ = block\(line)\n"
      return
    }
    if output != nil { body += "Output.begin()\n" }
    body += "try await block\(line)()\n"
    if let output { body += "try Output.end(\(Self.literal(output)), line: \(line))\n" }
  }

  /// The scope that is open has hidden code alone, which belongs to the block that comes.
  private var opensNext = false

  private mutating func openScope() {
    body += "do {\n"
    isOpen = true
    opensNext = hasBlock
  }

  private mutating func closeScope() {
    if isOpen { body += "}\n" }
    isOpen = false
  }

  /// Adds lines: imports and declarations to the file, the others to the function.
  private mutating func add(_ block: [String], line: Int) {
    var index = 0
    while index < block.count {
      let text = block[index]
      if text.hasPrefix("import ") || text.hasPrefix("@testable import ") {
        imports.insert(text)
        index += 1
        continue
      }
      // A statement or a declaration ends with the next line that begins a new one.
      var end = index + 1
      while end < block.count,
        block[end].isEmpty || block[end].first == " " || block[end].first == "}"
          || block[end].first == ")" || block[end].first == "]" || Self.labels.contains(where: block[end].hasPrefix)
      { end += 1 }
      let piece =
        "#sourceLocation(file: \(path.debugDescription), line: \(line + index))\n"
        + block[index..<end].map(Self.substituted).joined(separator: "\n") + "\n#sourceLocation()\n"
      var first = index
      while first < end - 1, block[first].hasPrefix("@") || block[first].hasPrefix("//") { first += 1 }
      switch block[first].split(separator: " ").first(where: { !Self.modifiers.contains(String($0)) }).map(String.init)
      {
      case "extension": extensions += piece
      case let keyword? where Self.declarations.contains(keyword): declarations += piece
      default: body += piece
      }
      index = end
    }
  }

  /// What continues a statement in the first column.
  private static let labels = ["case ", "default:", "else", "#", "/"]
  private static let modifiers: Set<String> = [
    "final", "private", "public", "open", "fileprivate", "@main", "@MainActor",
  ]
  private static let declarations: Set<String> = ["class", "struct", "enum", "actor", "protocol", "func"]

  // MARK: Text

  /// What the articles call servers and folders, and what they are when the program runs.
  private static let substitutions = [
    ("https://internal.example.org", "\\(Place.secure)"), ("https://example.org", "\\(Place.web)"),
    ("sftp://me@example.org/~", "\\(Place.ssh)"), ("davs://example.org", "\\(Place.webDAV)"),
    ("ftp://example.org", "\\(Place.ftp)"),
    ("wss://example.org", "\\(Place.webSocket)"), ("redis://cache.example.org", "\\(Place.redis)"),
    ("\"SHA256:mVPwvezndPv/ARoIadVY98vAC0g+P/5633yTC4d/wXE\"", "Place.fingerprint"),
    ("\"mail.example.org\"", "Place.mailHost"), ("port: 143", "port: Place.mailPort"),
    ("\"proxy.example.org\"", "Place.proxyHost"), ("3128", "Place.proxyPort"),
    ("\"/srv/", "\"\\(Place.folder)/"),
  ]

  private static func substituted(_ line: String) -> String {
    substitutions.reduce(line) { $0.replacingOccurrences(of: $1.0, with: $1.1) }
  }

  private static func literal(_ text: String) -> String { "#\"\"\"\n\(text)\n\"\"\"#" }

  /// The program.
  var source: String {
    return """
      \(imports.sorted().joined(separator: "\n"))

      \(extensions)
      enum \(name)Article: Article {
      static let name = "\(name)"
      \(declarations)
      static func run() async throws {
      \(body)
      }
      }

      """
  }
}
