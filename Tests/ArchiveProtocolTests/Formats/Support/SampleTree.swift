import Foundation
import URLLoadingTestServers

/// A directory with files of all kinds, from which archives are made.
final class SampleTree: Sendable {
  let directory: TemporaryDirectory
  /// The bytes of each file by name.
  let files: [String: Data]

  static let longName = String(repeating: "long-", count: 24) + "/" + String(repeating: "name-", count: 30) + ".txt"
  static let foreignName = "dir/grün 名前.txt"

  /// - Parameter hasAllNames: also names that need extensions of a format.
  init(hasAllNames: Bool = true) throws {
    directory = try TemporaryDirectory("tree")
    var files = [
      "a.txt": Data("hello\n".utf8), "empty": Data(), "dir/big.bin": TestFiles.pattern(count: 700_001, seed: 7),
      "dir/sub/block": TestFiles.pattern(count: 1024, seed: 8), "dir/zeros": Data(count: 50_000),
    ]
    if hasAllNames {
      files[Self.longName] = Data("long".utf8)
      files[Self.foreignName] = Data("foreign".utf8)
    }
    for (name, data) in files { try directory.write(name, data) }
    self.files = files
  }

  var path: String { directory.path }

  /// Adds links, for formats that know them.
  func addLinks() throws {
    try FileManager.default.createSymbolicLink(
      atPath: path + "/dir/soft", withDestinationPath: "../a.txt")
    try FileManager.default.linkItem(atPath: path + "/dir/big.bin", toPath: path + "/hard")
  }

  /// Runs a program in the tree that writes `archive`, a file outside of it.
  func make(_ archive: URL, _ executable: String, _ arguments: [String], input: Data? = nil) async throws {
    try await Command.check(
      Tool.path(executable), arguments.map { $0 == "ARCHIVE" ? archive.path : $0 }, input: input,
      directory: directory.url)
  }
}
