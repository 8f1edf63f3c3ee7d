import Foundation
import URLLoadingTestServers

/// Runs the `curl` command, which shows that a server works independently of this package's own client.
enum Curl {
  static func run(_ arguments: [String]) async throws -> Command.Outcome {
    try await Command.run("curl", ["--silent", "--show-error", "--max-time", "20", "--noproxy", ""] + arguments)
  }

  static func trusting(_ arguments: [String]) async throws -> Command.Outcome {
    try await run(["--cacert", try await TestCertificates.shared.authority.path] + arguments)
  }
}
