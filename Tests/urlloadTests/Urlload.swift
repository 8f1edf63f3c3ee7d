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

  /// Runs the command at a terminal of its own, and types an answer to each question; the text is what is shown there.
  static func atTerminal(
    _ arguments: [String], typing answers: [String] = [], environment: [String: String?] = [:],
    in folder: TemporaryDirectory
  ) async throws -> Command.Outcome {
    let script = """
      import os, pty, sys
      process, terminal = pty.fork()
      if process == 0: os.execv(sys.argv[2], sys.argv[2:])
      answers, shown = sys.argv[1].split(","), b""
      while True:
          try: piece = os.read(terminal, 4096)
          except OSError: break
          if not piece: break
          shown += piece
          if shown.endswith(b": ") and answers: os.write(terminal, answers.pop(0).encode() + b"\\n")
      sys.stdout.buffer.write(shown)
      sys.stdout.flush()
      sys.exit(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]))
      """
    return try await Command.run(
      "python3", ["-c", script, answers.joined(separator: ","), BuiltProgram.path("urlload")] + arguments,
      environment: environment, directory: folder.url)
  }

  /// The names in a folder, hidden ones included.
  static func names(in folder: TemporaryDirectory) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
  }
}
