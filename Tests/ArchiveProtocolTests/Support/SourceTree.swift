import Foundation
import URLLoadingTestServers

/// A directory of files of many shapes, which tools make archives of.
struct SourceTree {
  let directory: TemporaryDirectory
  /// The files' contents by their paths.
  let files: [String: [UInt8]]

  init() throws {
    directory = try TemporaryDirectory("tree")
    let pattern = TestFiles.pattern(count: 400_000)
    let text = String(repeating: "The quick brown fox jumps over the lazy dog. ", count: 3_000)
    files = [
      "empty": [], "one": [7], "text.txt": Array(text.utf8), "dir/sub/pattern.bin": Array(pattern),
      "dir/zeros": [UInt8](repeating: 0, count: 1 << 20), "sp ace/ünï 日本.txt": Array("ünïcödé".utf8),
      "per%cent!/what?#x": Array("odd".utf8),
    ]
    for (path, content) in files { try directory.write(path, Data(content)) }
    try FileManager.default.createDirectory(at: directory.file("hollow"), withIntermediateDirectories: true)
  }

  /// Runs a shell script in the directory. `$1` is where it is to make the archive.
  func archive(_ name: String, _ script: String, in place: TemporaryDirectory) async throws -> URL {
    let file = place.file(name)
    try await Command.check("sh", ["-ec", script, "sh", file.path], directory: directory.url)
    return file
  }
}
