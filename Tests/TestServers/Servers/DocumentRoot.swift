import Foundation

/// The files that the test servers serve.
package enum DocumentRoot {
  /// The text of `small.txt`: 1,024 bytes.
  package static let small = Data((0..<64).map { String(format: "small line %03d.\n", $0) }.joined().utf8)
  /// The size of `large.bin` unless told otherwise: 8 MiB. Its content is `TestFiles.pattern` with seed 1.
  package static let largeSize = 8 << 20

  /// Writes `small.txt`, `large.bin`, `empty.bin`, `page.html`, `data.json` and `folder/inner.txt`.
  package static func fill(_ directory: URL, largeSize: Int = largeSize) throws {
    let files: [String: String] = [
      "page.html": "<!doctype html><title>Page</title><p>Ünïcödé</p>\n",
      "data.json": "{\"numbers\": [1, 2, 3], \"text\": \"Grüße\"}\n",
      "folder/inner.txt": "inner\n",
      "empty.bin": "",
    ]
    let manager = FileManager.default
    try manager.createDirectory(
      at: directory.appendingPathComponent("folder"), withIntermediateDirectories: true)
    for (name, text) in files {
      try Data(text.utf8).write(to: directory.appendingPathComponent(name))
    }
    try small.write(to: directory.appendingPathComponent("small.txt"))
    try TestFiles.write(count: largeSize, to: directory.appendingPathComponent("large.bin"))
  }
}
