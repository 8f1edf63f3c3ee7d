import Foundation

/// Names of files by a server's suggestion.
enum FileNames {
  /// A name without directories, and not that of a ``PartFile``: `-C -` would take the file for a part of another server's resource.
  static func safe(_ suggestion: String?) -> String {
    let last = (suggestion ?? "").unicodeScalars.split { $0 == "/" || $0 == "\0" }.last.map { String($0) } ?? ""
    return last.isEmpty || last == "." || last == ".." ? "download" : withoutPart(last)
  }

  /// `a_part` for `a.part`, `a_part.1` for `a.part.1`.
  private static func withoutPart(_ name: String) -> String {
    var bytes = Array(name.utf8)
    let suffix = Array(PartFile.suffix.utf8)
    for start in bytes.indices where bytes[start...].starts(with: suffix) {
      let end = start + suffix.count
      if end == bytes.count || bytes[end] == UInt8(ascii: ".") { bytes[start] = UInt8(ascii: "_") }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The name, then the name with a number: `a.txt`, `a.txt.1` …
  static func candidates(for name: String) -> some Sequence<String> {
    // Room for the number in the 255 bytes that file systems allow.
    var stem = name
    while stem.utf8.count > 250 || (stem.utf8.count < name.utf8.count && stem.hasSuffix(PartFile.suffix)) {
      stem.removeLast()
    }
    return (0..<10_000).lazy.map { $0 == 0 ? name : "\(stem).\($0)" }
  }

  /// The path of a file in a directory.
  static func path(of name: String, in directory: String) -> String {
    directory == "." ? name : directory == "/" ? "/\(name)" : "\(directory)/\(name)"
  }

  /// The directory of a path, and the name in it.
  static func split(_ path: String) -> (directory: String, name: String) {
    guard let slash = path.lastIndex(of: "/") else { return (".", path) }
    return (slash == path.startIndex ? "/" : String(path[..<slash]), String(path[path.index(after: slash)...]))
  }

  /// `UTIME_OMIT` of Linux, whose definition Swift cannot import.
  private static let unchanged = (1 << 30) - 2

  /// The times of a file that was changed at a date; nil where no file can have that.
  static func times(_ date: Date?) -> [timespec]? {
    guard let seconds = date?.timeIntervalSince1970, abs(seconds) < 1e12 else { return nil }
    return [timespec(tv_sec: 0, tv_nsec: unchanged), timespec(tv_sec: Int(seconds.rounded(.down)), tv_nsec: 0)]
  }

  /// Sets when a file was changed.
  static func setTime(_ date: Date, of path: String) {
    if let times = times(date) { utimensat(AT_FDCWD, path, times, 0) }
  }
}
