import Foundation
import Glibc

/// Programs of this package, as they were built along with the tests.
package enum BuiltProgram {
  /// The path of an executable product or target.
  package static func path(_ name: String) -> String {
    // The test runner's first argument that names the test bundle tells the folder of the build.
    let bundle = CommandLine.arguments.first { $0.contains(".xctest") } ?? CommandLine.arguments[0]
    return URL(fileURLWithPath: bundle).deletingLastPathComponent().appendingPathComponent(name).path
  }
  /// Makes a program another executable: a hard link, or a copy on another file system. Another process writes the copy: a program that a test
  /// beside this one starts would inherit the descriptor, and nobody can run what is open for writing (execve(2), ETXTBSY).
  package static func copy(_ program: String, to path: String) async throws {
    guard link(program, path) != 0 else { return }
    let outcome = try await Command.run("cp", [program, path])
    guard outcome.status == .exited(0) else { throw TestServerError("no copy of \(program): \(outcome.error)") }
  }
}
