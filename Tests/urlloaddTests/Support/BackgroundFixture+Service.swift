import Foundation
import URLLoadingTestServers

extension BackgroundFixture {
  /// The file that the service of ``startService()`` says things in.
  var serviceLog: URL { directory.file("service.log") }

  /// Starts a service that stays, and waits until it listens.
  func startService() async throws -> ChildProcess {
    let service = try ChildProcess(
      BuiltProgram.path("urlloadd"), ["--idle-seconds", "0"], environment: environment, output: serviceLog,
      error: serviceLog)
    _ = try await control()
    return service
  }
}

extension BackgroundProgram {
  /// The numbers that it says first and last in a line: that of a task, and milliseconds.
  func numbers(_ beginning: String) -> [(first: Int, last: Double)] {
    all(beginning).compactMap { line in
      let words = line.split(separator: " ")
      guard let first = words.first.flatMap({ Int($0) }), let last = words.last.flatMap({ Double($0) }) else {
        return nil
      }
      return (first, last)
    }
  }
}
