import Foundation
import URLLoadingTestServers

/// The program `DownloadWorker`, in a process of its own.
struct DownloadWorker {
  let process: ChildProcess
  private let output: URL

  /// Starts it. Its temporary files go to `directory`; `environment` adds variables.
  /// - Parameter copy: a copy of the program, see ``copy(into:)``; nil for the one that was built.
  init(
    _ arguments: [String], in directory: TemporaryDirectory, environment: [String: String?] = [:], as copy: URL? = nil
  ) throws {
    output = directory.file("worker-\(UInt64.random(in: 0 ... .max)).log")
    process = try ChildProcess(
      try copy?.path ?? Self.path, arguments, environment: environment.merging(["TMPDIR": directory.path]) { $1 },
      output: output, error: output)
  }

  /// Copies the program into a folder, where other files lie beside it.
  static func copy(into directory: TemporaryDirectory) async throws -> URL {
    let copy = directory.file("worker")
    try await BuiltProgram.copy(path, to: copy.path)
    return copy
  }

  /// What it printed so far.
  var lines: [String] {
    ((try? String(contentsOf: output, encoding: .utf8)) ?? "").split(separator: "\n").map(String.init)
  }

  /// The number after a word that it printed.
  func number(_ word: String) -> Int? {
    lines.first { $0.hasPrefix("\(word) ") }?.split(separator: " ").dropFirst().first.flatMap { Int($0) }
  }

  /// The tests' own program lies beside the worker.
  private static var path: String {
    get throws {
      let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
      let candidates = [CommandLine.arguments[0], own].map {
        URL(fileURLWithPath: $0).deletingLastPathComponent().appendingPathComponent("URLLoadingDownloadWorker").path
      }
      guard let path = candidates.first(where: { FileManager.default.isExecutableFile(atPath: $0) }) else {
        throw TestServerError("URLLoadingDownloadWorker is not beside the tests: looked for \(candidates)")
      }
      return path
    }
  }
}
