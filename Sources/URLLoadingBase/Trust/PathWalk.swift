import Foundation

/// The names that the kernel looks up for a path, links followed as they come (path_resolution(7)).
///
/// A name is looked up when it is asked for: who checks each one first knows that nobody else changes what leads to the next.
package struct PathWalk {
  /// A name in a directory.
  package struct Step {
    /// The directory's path, without links.
    package let folder: String
    package let folderStatus: stat
    /// The path of what has the name, a link's own.
    package let path: String
    package let status: stat
    /// No name comes after it, but for those of its target where it is a link.
    package let isLast: Bool
  }

  /// As many as the kernel follows.
  private static let linkLimit = 40
  /// In bytes, a zero byte included (`PATH_MAX`).
  private static let pathLimit = 4096

  /// The names of the directory that was come to, from the root.
  private var folder: [String] = []
  /// What is left, the next one last.
  private var names: [String]
  private var links = 0

  package init(_ path: String) {
    let whole = Self.isAbsolute(path) ? path : "\(FileManager.default.currentDirectoryPath)/\(path)"
    names = Self.names(of: whole).reversed()
  }

  /// Nil after the last one, which no link is.
  package mutating func next() throws(FileDistrust) -> Step? {
    while let name = names.popLast() {
      if name == "." { continue }
      if name == ".." {
        _ = folder.popLast()
        continue
      }
      let (directory, path) = (Self.path(folder), Self.path(folder + [name]))
      let step = Step(
        folder: directory, folderStatus: try Self.status(of: directory), path: path, status: try Self.status(of: path),
        isLast: names.isEmpty)
      if step.status.st_mode & S_IFMT == S_IFLNK {
        try follow(path)
      } else {
        folder.append(name)
      }
      return step
    }
    return nil
  }

  private mutating func follow(_ link: String) throws(FileDistrust) {
    links += 1
    guard links <= Self.linkLimit else { throw .unreadable(number: ELOOP) }
    var bytes = [CChar](repeating: 0, count: Self.pathLimit)
    let count = readlink(link, &bytes, bytes.count)
    guard count > 0 else { throw .unreadable(number: count < 0 ? errno : ENOENT) }
    let target = String(decoding: bytes[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    if Self.isAbsolute(target) { folder = [] }
    names += Self.names(of: target).reversed()
  }

  private static func status(of path: String) throws(FileDistrust) -> stat {
    var status = stat()
    guard lstat(path, &status) == 0 else { throw .unreadable(number: errno) }
    return status
  }

  private static func path(_ names: [String]) -> String { "/" + names.joined(separator: "/") }

  // By bytes: a slash with an accent is one other `Character`.
  private static func isAbsolute(_ path: String) -> Bool { path.utf8.first == UInt8(ascii: "/") }

  private static func names(of path: String) -> [String] {
    path.utf8.split(separator: UInt8(ascii: "/")).map { String(decoding: $0, as: UTF8.self) }
  }
}
