import Foundation

/// Names of files by a server's suggestion.
enum FileNames {
  /// A name without directories.
  static func safe(_ suggestion: String?) -> String {
    let last = (suggestion ?? "").unicodeScalars.split { $0 == "/" || $0 == "\0" }.last.map { String($0) } ?? ""
    return last.isEmpty || last == "." || last == ".." ? "download" : last
  }

  /// The name, then the name with a number: `a.txt`, `a.txt.1` …
  static func candidates(for name: String) -> some Sequence<String> {
    // Room for the number in the 255 bytes that file systems allow.
    var stem = name
    while stem.utf8.count > 250 { stem.removeLast() }
    return (0..<10_000).lazy.map { $0 == 0 ? name : "\(stem).\($0)" }
  }
}
