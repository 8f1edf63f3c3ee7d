import Foundation

/// Programs of this package, as they were built along with the tests.
package enum BuiltProgram {
  /// The path of an executable product or target.
  package static func path(_ name: String) -> String {
    // The test runner's first argument that names the test bundle tells the folder of the build.
    let bundle = CommandLine.arguments.first { $0.contains(".xctest") } ?? CommandLine.arguments[0]
    return URL(fileURLWithPath: bundle).deletingLastPathComponent().appendingPathComponent(name).path
  }
}
