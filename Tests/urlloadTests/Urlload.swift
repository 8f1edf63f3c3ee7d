import Foundation
import URLLoadingTestServers

/// Runs the command as a user would.
enum Urlload {
  static func run(
    _ arguments: [String], input: Data? = nil, environment: [String: String?] = [:],
    in folder: TemporaryDirectory? = nil
  ) async throws -> Command.Outcome {
    try await Command.run(
      BuiltProgram.path("urlload"), arguments, input: input, environment: environment, directory: folder?.url)
  }

  /// Runs a shell command in which `$0` is the command.
  static func shell(
    _ script: String, _ arguments: [String] = [], environment: [String: String?] = [:]
  ) async throws -> Command.Outcome {
    try await Command.run(
      "/bin/bash", ["-c", script, BuiltProgram.path("urlload")] + arguments, environment: environment)
  }

  /// The names in a folder, hidden ones included.
  static func names(in folder: TemporaryDirectory) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
  }
}
