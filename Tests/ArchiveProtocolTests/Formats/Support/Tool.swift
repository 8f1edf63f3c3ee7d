import Foundation
import URLLoadingTestServers

/// Programs that make archives.
enum Tool {
  /// Where a program is.
  static func path(_ name: String) throws -> String {
    for folder in ["/usr/bin", "/bin", "/usr/local/bin", "/usr/sbin"] {
      let path = "\(folder)/\(name)"
      if FileManager.default.isExecutableFile(atPath: path) { return path }
    }
    throw TestServerError("\(name) is not installed; `make test-dependencies` installs it")
  }

  /// Runs a packing program over some bytes.
  static func filter(_ name: String, data: Data) async throws -> Data {
    try await filter(name, ["-c"], data)
  }

  /// Runs a filter program over some bytes.
  static func filter(_ name: String, _ arguments: [String], _ data: Data) async throws -> Data {
    try await Command.check(path(name), arguments, input: data)
  }
}
