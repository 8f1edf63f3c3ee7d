import Foundation
import Glibc

/// Runs a program to its end and keeps what it wrote.
package enum Command {
  /// What a program left behind.
  package struct Outcome: Sendable {
    /// How it ended.
    package let status: ExitStatus
    /// Its standard output.
    package let output: Data
    /// Its standard error as text.
    package let error: String

    /// Standard output as text.
    package var text: String { String(decoding: output, as: UTF8.self) }
  }

  /// Runs a program.
  ///
  /// - Parameters:
  ///   - input: its standard input.
  ///   - environment: variables added to this process's own; nil unsets one. Proxy settings are not handed on.
  ///   - timeout: after which it is killed and an error thrown.
  package static func run(
    _ executable: String, _ arguments: [String], input: Data? = nil, environment: [String: String?] = [:],
    directory: URL? = nil, timeout: Duration = .seconds(60)
  ) async throws -> Outcome {
    let folder = try TemporaryDirectory("command")
    let output = folder.file("output")
    let error = folder.file("error")
    let inputFile = try input.map { try folder.write("input", $0) }
    let process = try ChildProcess(
      executable, arguments, environment: environment, directory: directory, input: inputFile, output: output,
      error: error)
    guard let status = await process.waitForExit(timeout: timeout) else {
      process.send(signal: SIGKILL)
      let text = try String(decoding: Data(contentsOf: error), as: UTF8.self)
      throw TestServerError("\(executable) ran for more than \(timeout): \(text)")
    }
    return Outcome(
      status: status, output: try Data(contentsOf: output),
      error: String(decoding: try Data(contentsOf: error), as: UTF8.self))
  }

  /// Runs a program that has to succeed and gives its standard output.
  @discardableResult
  package static func check(
    _ executable: String, _ arguments: [String], input: Data? = nil, directory: URL? = nil,
    timeout: Duration = .seconds(60)
  ) async throws -> Data {
    let outcome = try await run(executable, arguments, input: input, directory: directory, timeout: timeout)
    guard outcome.status == .exited(0) else {
      throw TestServerError("\(executable) \(arguments.joined(separator: " ")): \(outcome.status)\n\(outcome.error)")
    }
    return outcome.output
  }
}
