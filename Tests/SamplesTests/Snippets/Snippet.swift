import Foundation
import Testing
import URLLoadingTestServers

/// A program of `Samples/Snippets`, with what it has to print.
struct Snippet: Sendable, CustomTestStringConvertible {
  let name: String

  static let folder = PackageFolder.root.appending(path: "Samples/Snippets")

  /// All of them, by their expected output.
  static var all: [Snippet] {
    get throws {
      try names(in: "Expected").map { Snippet(name: URL(filePath: $0).deletingPathExtension().lastPathComponent) }
    }
  }

  /// The sorted names in a folder, hidden ones left out.
  static func names(in path: String) throws -> [String] {
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.appending(path: path).path)
    return names.filter { !$0.hasPrefix(".") }.sorted()
  }

  var testDescription: String { name }

  var expected: String {
    get throws { try String(contentsOf: Self.folder.appending(path: "Expected/\(name).txt"), encoding: .utf8) }
  }

  /// Runs it as a user would: all that it is told is where its server is.
  func run() async throws -> Command.Outcome {
    let folder = try TemporaryDirectory("snippet")
    var environment: [String: String?] = ["HOME": folder.path, "CFFIXED_USER_HOME": folder.path, "TMPDIR": folder.path]
    let base: URL
    switch name {
    case "MultipartUpload", "ServerSentEvents":
      base = try await SnippetServer.shared.url("")
    case "OwnAuthority":
      base = try await NginxServer.shared.url("", on: .https)
      environment["AUTHORITY"] = try await TestCertificates.shared.authority.path
    default:
      if let (server, told) = try await certificates() {
        base = server
        environment.merge(told) { $1 }
      } else {
        base = try await NginxServer.shared.url("")
      }
    }
    let program = try await Self.programs.server.appending(component: name).path
    return try await Command.run(program, [base.absoluteString], environment: environment)
  }

  /// The folder of the programs, built once.
  static let programs = LazyServer {
    let script = PackageFolder.root.appending(path: "Scripts/build-snippets").path
    let output = try await Command.check(script, [], timeout: .seconds(600))
    return URL(filePath: String(decoding: output, as: UTF8.self).trimmingCharacters(in: .newlines))
  }
}
