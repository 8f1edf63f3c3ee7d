import Foundation
import URLLoadingTestServers

/// A running program that is told lines, and what it has said: `BackgroundWorker`, unless another is named.
struct BackgroundProgram {
  /// The path of the worker.
  static var workerPath: String { BuiltProgram.path("URLLoadingBackgroundWorker") }

  let process: ChildProcess
  private let output: URL
  private let input: FileHandle

  /// - Parameter command: the program, and the arguments before the others.
  init(
    _ arguments: [String], of command: [String] = [BackgroundProgram.workerPath],
    directory: TemporaryDirectory, environment: [String: String?]
  ) throws {
    output = directory.file("program-\(UInt64.random(in: 0 ... .max)).log")
    let fifo = directory.file("input-\(UInt64.random(in: 0 ... .max))")
    guard mkfifo(fifo.path, 0o600) == 0, case let descriptor = open(fifo.path, O_RDWR | O_CLOEXEC), descriptor >= 0
    else {
      throw TestServerError("no pipe at \(fifo.path)")
    }
    input = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    process = try ChildProcess(
      command[0], Array(command.dropFirst()) + arguments, environment: environment, input: fifo, output: output,
      error: output)
  }

  var lines: [String] {
    ((try? String(contentsOf: output, encoding: .utf8)) ?? "").split(separator: "\n").map(String.init)
  }

  /// Says something to the program.
  func tell(_ line: String) { input.write(Data("\(line)\n".utf8)) }

  /// Waits for a line that begins so.
  func says(_ beginning: String, timeout: Duration = .seconds(60)) async throws -> Bool {
    try await eventually(timeout: timeout) { lines.contains { $0.hasPrefix(beginning) } }
  }

  /// The lines that begin so, without that.
  func all(_ beginning: String) -> [String] {
    lines.filter { $0.hasPrefix(beginning + " ") || $0 == beginning }.map { String($0.dropFirst(beginning.count + 1)) }
  }

  func kill() async {
    process.send(signal: SIGKILL)
    _ = await process.waitForExit()
  }
}
