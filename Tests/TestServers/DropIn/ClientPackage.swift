import Foundation

/// A copy of a package, built and run as its user would.
package struct ClientPackage: Sendable {
  /// What a build said, and whether it came to its end.
  package struct Build: Sendable {
    package let succeeded: Bool
    package let log: String
  }

  private let folder: TemporaryDirectory

  /// Copies a package.
  /// - Parameter path: where it is, from the root of this one.
  package init(copying path: String) throws {
    folder = try TemporaryDirectory("client")
    let manager = FileManager.default
    let original = PackageFolder.root.appendingPathComponent(path)
    for name in try manager.contentsOfDirectory(atPath: original.path) where !name.hasPrefix(".") {
      try manager.copyItem(at: original.appendingPathComponent(name), to: folder.file(name))
    }
  }

  /// Replaces text in a file; throws where it is not there.
  package func edit(_ file: String, _ old: String, _ new: String) throws {
    let text = try String(contentsOf: folder.file(file), encoding: .utf8)
    guard text.contains(old) else { throw TestServerError("\(file) does not say \(old)") }
    try folder.write(file, text.replacingOccurrences(of: old, with: new))
  }

  /// Runs `swift build`.
  package func build(_ arguments: [String], environment: [String: String?] = [:]) async throws -> Build {
    let outcome = try await Command.run(
      "swift", ["build"] + arguments, environment: environment, directory: folder.url, timeout: .seconds(600))
    return Build(succeeded: outcome.status == .exited(0), log: outcome.text + outcome.error)
  }

  /// Runs a `swift build` that has to succeed.
  package func check(build arguments: [String], environment: [String: String?] = [:]) async throws {
    let build = try await build(arguments, environment: environment)
    guard build.succeeded else { throw TestServerError("swift build \(arguments): \(build.log)") }
  }

  /// The path of a program that was built.
  package func program(_ name: String) -> String {
    folder.file(".build/debug/\(name)").path
  }

  /// Runs a program that was built and has to succeed.
  package func run(
    _ name: String, _ arguments: [String] = [], environment: [String: String?] = [:]
  ) async throws -> String {
    let outcome = try await Command.run(program(name), arguments, environment: environment)
    guard outcome.status == .exited(0) else {
      throw TestServerError("\(name): \(outcome.status)\n\(outcome.text)\(outcome.error)")
    }
    return outcome.text
  }

  /// The libraries that a program loads as it starts.
  package func libraries(of name: String) async throws -> String {
    String(decoding: try await Command.check("/usr/bin/ldd", [program(name)]), as: UTF8.self)
  }
}
