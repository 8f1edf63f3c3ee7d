import Foundation
import Glibc

/// A directory that is deleted with this object.
///
/// All of them live in one directory of the test process, which a watching shell deletes when the
/// process ends in whatever way; see `ProcessGuard`.
package final class TemporaryDirectory: Sendable {
  /// The directory.
  package let url: URL

  /// The directory's path.
  package var path: String { url.path }

  /// Creates an empty directory.
  /// - Parameter folder: where; nil for the folder of the process.
  package init(_ name: String = "test", in folder: String? = nil) throws {
    let root = try folder ?? Self.root.get()
    url = URL(fileURLWithPath: try Self.make("\(root)/\(name)-XXXXXX"), isDirectory: true)
  }

  deinit {
    remove()
  }

  /// Deletes the directory and what is in it.
  package func remove() {
    try? FileManager.default.removeItem(at: url)
  }

  /// The URL of a file in this directory.
  package func file(_ name: String) -> URL {
    url.appendingPathComponent(name)
  }

  /// Writes a file into this directory, with the folders on its way.
  @discardableResult
  package func write(_ name: String, _ contents: Data) throws -> URL {
    let file = file(name)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try contents.write(to: file)
    return file
  }

  /// Writes a text file into this directory, with the folders on its way.
  @discardableResult
  package func write(_ name: String, _ contents: String) throws -> URL {
    try write(name, Data(contents.utf8))
  }

  /// Writes a script of the shell into this directory, which its user may execute.
  package func writeScript(_ name: String, _ text: String) throws -> URL {
    let script = try write(name, "#!/bin/sh\n\(text)\n")
    guard chmod(script.path, 0o700) == 0 else { throw TestServerError("chmod \(script.path): \(errno)") }
    return script
  }

  private static let root: Result<String, any Error> = Result {
    let path = try make(FileManager.default.temporaryDirectory.path + "/url-loading-tests-XXXXXX")
    try ProcessGuard.deleteAtExit(path)
    return path
  }

  private static func make(_ template: String) throws -> String {
    var bytes = template.utf8CString.map { $0 }
    let made = bytes.withUnsafeMutableBufferPointer { buffer in
      buffer.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) }
    }
    guard let made else { throw TestServerError.system("mkdtemp \(template)") }
    // Servers started by root drop to a user of their own and have to get at their files.
    chmod(made, 0o755)
    return made
  }
}
