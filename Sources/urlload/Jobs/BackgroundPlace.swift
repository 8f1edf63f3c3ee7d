import Foundation

/// Where the file of a background load goes, as its task's description says it.
struct BackgroundPlace: CustomStringConvertible {
  /// Absolute; empty for nowhere.
  let path: String
  /// The name is the server's or the URL's.
  let isFolder: Bool

  init(path: String, isFolder: Bool) {
    self.path = path
    self.isFolder = isFolder
  }

  /// - Parameter text: a description; nil for one of another program.
  init?(_ text: String?) {
    guard let text, let kind = text.first, kind == "d" || kind == "f" else { return nil }
    self.init(path: String(text.dropFirst(2)), isFolder: kind == "d")
  }

  var description: String { "\(isFolder ? "d" : "f") \(path)" }

  /// Moves a file there, over another one where it was named by the user.
  /// - Returns: its path; nil where it cannot be moved, and errno says why.
  func take(_ file: URL, name: String?) -> String? {
    guard isFolder else { return Self.move(file.path, to: path) ? path : nil }
    let name = name.flatMap { $0.isEmpty || $0.contains("/") || $0.hasPrefix(".") ? nil : $0 } ?? "download"
    for number in 0..<1000 {
      let target = "\(path)/\(number == 0 ? name : "\(name).\(number)")"
      if access(target, F_OK) != 0 { return Self.move(file.path, to: target) ? target : nil }
    }
    errno = EEXIST
    return nil
  }

  private static func move(_ source: String, to target: String) -> Bool {
    if rename(source, target) == 0 { return true }
    guard errno == EXDEV else { return false }
    // Another disk: under the name when it is whole.
    let part = "\(target).part"
    unlink(part)
    guard (try? FileManager.default.copyItem(atPath: source, toPath: part)) != nil else { return false }
    return rename(part, target) == 0
  }
}
