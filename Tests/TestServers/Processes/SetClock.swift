import Foundation
import Glibc

/// A wall clock that some programs have in the place of the machine's, and that a test sets while they run; see `Tests/Fixtures/SetClock`.
///
/// Immutable; the file's eight bytes are written in one piece.
package final class SetClock: Sendable {
  private let folder: TemporaryDirectory
  private let library: String
  private let file: FileHandle

  /// Makes a clock that goes with the machine's until it is set.
  package init() async throws {
    folder = try TemporaryDirectory("clock")
    library = folder.file("set_clock.so").path
    let source = PackageFolder.root.appending(path: "Tests/Fixtures/SetClock/set_clock.c").path
    try await Command.check("clang", ["-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o", library, source])
    file = try FileHandle(forUpdating: folder.write("ahead", Data(count: 8)))
  }

  /// The variables of a program that goes by this clock, and of those that it starts.
  package var environment: [String: String?] {
    ["LD_PRELOAD": library, "SET_CLOCK": folder.file("ahead").path]
  }

  /// Sets the clock of all of them, from their next look at it on.
  /// - Parameter seconds: by which it is to be ahead of the machine's, negative for behind.
  package func set(ahead seconds: Int64) throws {
    var seconds = seconds
    let count = withUnsafeBytes(of: &seconds) { pwrite(file.fileDescriptor, $0.baseAddress, $0.count, 0) }
    guard count == 8 else { throw TestServerError.system("pwrite \(folder.file("ahead").path)") }
  }
}
