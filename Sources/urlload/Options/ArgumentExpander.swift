/// Rewrites a command line as people type it for curl into one that the parser takes: joined letters apart (`-sSLo FILE`, `-XPOST`), and
/// options that send data as one, since their order counts and the parser keeps that of one option alone.
struct ArgumentExpander {
  /// Letters with a value.
  static let valued = "AbcCdDeEFHKmorTuUwxXz"
  /// Words with a value.
  static let valuedWords: Set<String> = [
    "archive-index", "cacert", "cert", "cert-type", "config", "connect-timeout", "continue", "continue-at", "cookie",
    "cookie-jar", "data", "data-ascii", "data-binary", "data-raw", "data-urlencode", "dump-header", "etag-compare",
    "etag-save", "form", "form-string", "har", "header", "input-file", "interface", "json", "keepalive-time", "key",
    "limit-rate", "local-port", "max-filesize",
    "max-redirs", "max-time", "netrc-file", "noproxy", "oauth2-bearer", "output", "output-dir", "parallel-max",
    "pass", "proxy", "proxy-user", "range", "referer", "request", "resolve", "retry", "retry-delay", "retry-max-time",
    "time-cond", "tls-max", "unix-socket", "upload-file", "url", "url-query", "user", "user-agent", "write-out",
    DataPart.option,
  ]
  /// Words of options that send data, by what they do with their value.
  private static func data(_ name: String) -> DataPart.Kind? {
    switch name {
    case "d", "data", "data-ascii": .text
    case "data-binary": .binary
    case "data-raw": .raw
    case "data-urlencode": .encoded
    case "json": .json
    default: nil
    }
  }

  /// The arguments, rewritten.
  private(set) var expanded: [String] = []
  /// The files of `-K`, in order.
  private(set) var configurationFiles: [String] = []

  /// Whether the arguments are those of a command such as `ls`, which sends no data and has options of its own: `-r` among them.
  private let isListing: Bool

  init(_ arguments: [String], isListing: Bool = false) {
    self.isListing = isListing
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      if argument == "--" {
        expanded.append(argument)
        expanded += rest
        return
      }
      if argument.hasPrefix("--") {
        take(word: argument, &rest)
      } else if argument.hasPrefix("-"), argument != "-" {
        take(letters: argument.dropFirst(), &rest)
      } else {
        expanded.append(argument)
      }
    }
  }

  private mutating func take(word argument: String, _ rest: inout ArraySlice<String>) {
    let parts = argument.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = parts.first.map { String($0) } ?? ""
    guard Self.valuedWords.contains(name), !isListing || Self.data(name) == nil else {
      return expanded.append(argument)
    }
    if parts.count == 2 { return append("--" + name, name, String(parts[1])) }
    append("--" + name, name, rest.popFirst())
  }

  private mutating func take(letters: Substring, _ rest: inout ArraySlice<String>) {
    var letters = letters
    while let letter = letters.popFirst() {
      guard Self.valued.contains(letter), !isListing || letter != "r" else {
        expanded.append(Self.option(letter))
        continue
      }
      // curl's -o=FILE is a file named "=FILE", too.
      append("-\(letter)", String(letter), letters.isEmpty ? rest.popFirst() : String(letters))
      return
    }
  }

  /// The option of a letter without a value; the parser has two of them as words alone.
  private static func option(_ letter: Character) -> String {
    switch letter {
    case "V": "--version"
    case "#": "--progress-bar"
    default: "-\(letter)"
    }
  }

  /// - Parameter value: nil where there is none, which the parser complains about.
  private mutating func append(_ option: String, _ name: String, _ value: String?) {
    guard let value else { return expanded.append(option) }
    if name == "K" || name == "config" {
      configurationFiles.append(value)
    } else if let kind = Self.data(name) {
      expanded.append("--\(DataPart.option)=\(kind.rawValue)\(value)")
    } else {
      // Joined, so that no value is taken for an option; after an equals sign the parser does not see one that is empty.
      expanded += name.count == 1 || value.isEmpty ? [option, value] : ["\(option)=\(value)"]
    }
  }
}
