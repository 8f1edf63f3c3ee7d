import Foundation
import Glibc

/// A running process in a group of its own, which ends no later than the test process.
///
/// Mutable state: the exit status, in `status`. A signal is sent only under its lock and only while the process has
/// not been reaped, so that it never reaches a stranger with the same number.
package final class ChildProcess: Sendable {
  /// The number of the process, also that of its process group.
  package let processID: pid_t
  private let status: Watched<ExitStatus?>
  private let processGuard: ProcessGuard

  /// Starts a command.
  ///
  /// - Parameters:
  ///   - executable: a path, or a name that is looked up in PATH and the `sbin` directories.
  ///   - environment: variables added to this process's own, from which proxy settings are left out; nil unsets one.
  ///   - input: the file to read as standard input; nothing if nil.
  ///   - output: the file to append standard output to.
  ///   - error: the file to append standard error to.
  package init(
    _ executable: String, _ arguments: [String], environment: [String: String?] = [:], directory: URL? = nil,
    input: URL? = nil, output: URL, error: URL
  ) throws {
    let path = try Self.find(executable)
    let input = try Self.openFile(input?.path ?? "/dev/null", O_RDONLY)
    defer { close(input) }
    let output = try Self.openFile(output.path, O_WRONLY | O_CREAT | O_APPEND)
    defer { close(output) }
    let error = try Self.openFile(error.path, O_WRONLY | O_CREAT | O_APPEND)
    defer { close(error) }
    let pipe = try ProcessGuard.makePipe()
    defer { close(pipe.read) }
    let processGuard = ProcessGuard(writeEnd: pipe.write)
    let pid = try Spawn.start(
      "/bin/sh", ["-c", ProcessGuard.script, "sh", path] + arguments,
      environment: Self.environment(adding: environment),
      directory: directory?.path ?? FileManager.default.currentDirectoryPath,
      input: input, output: output, error: error, inherited: pipe.read)
    let status = Watched<ExitStatus?>(nil)
    processID = pid
    self.status = status
    self.processGuard = processGuard
    Thread.detachNewThread {
      Self.reap(pid, status)
      processGuard.release()
    }
  }

  deinit {
    processGuard.release()
  }

  /// How the process ended; nil while it runs.
  package var exitStatus: ExitStatus? { status.value }

  /// Waits for the end of the process; nil if it still runs after the timeout.
  package func waitForExit(timeout: Duration = .seconds(30)) async -> ExitStatus? {
    _ = await status.wait(timeout: timeout) { $0 != nil }
    return status.value
  }

  /// Sends a signal to the process, if it still runs.
  package func send(signal: Int32) {
    status.read { status in
      if status == nil { kill(processID, signal) }
    }
  }

  /// Ends the process: politely first, by force after the grace period. Ends what it started, too.
  package func stop(grace: Duration = .seconds(3)) async {
    send(signal: SIGTERM)
    if await waitForExit(timeout: grace) == nil {
      send(signal: SIGKILL)
      _ = await waitForExit(timeout: .seconds(10))
    }
    processGuard.release()
  }

  /// The largest resident size so far in bytes; nil if the process does not run.
  ///
  /// This is the running program's own mark. That of `getrusage` would include the test process at the time of the
  /// start.
  package var peakResidentBytes: Int? {
    guard let status = try? String(contentsOfFile: "/proc/\(processID)/status", encoding: .utf8) else { return nil }
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }.map { $0 * 1024 }
  }

  /// The path of a program: itself if it is a path, else found in PATH and the `sbin` directories.
  package static func find(_ executable: String) throws -> String {
    if executable.contains("/") { return executable }
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    for folder in path.split(separator: ":").map(String.init) + ["/usr/local/sbin", "/usr/sbin", "/sbin"] {
      let candidate = "\(folder)/\(executable)"
      if access(candidate, X_OK) == 0 { return candidate }
    }
    throw TestServerError("\(executable) is not installed: run Scripts/install-test-dependencies")
  }

  private static func reap(_ pid: pid_t, _ status: Watched<ExitStatus?>) {
    var information = siginfo_t()
    while waitid(P_PID, id_t(pid), &information, WEXITED | WNOWAIT) != 0 && errno == EINTR {}
    status.update { status in
      var code: Int32 = 0
      while waitpid(pid, &code, 0) < 0 && errno == EINTR {}
      let signal = code & 0x7F
      status = signal == 0 ? .exited((code >> 8) & 0xFF) : .signalled(signal)
    }
  }

  private static func environment(adding added: [String: String?]) -> [String: String] {
    var environment = ProcessInfo.processInfo.environment.filter { !$0.key.lowercased().hasSuffix("_proxy") }
    for (name, value) in added { environment[name] = value }
    return environment
  }

  private static func openFile(_ path: String, _ flags: Int32) throws -> Int32 {
    let descriptor = open(path, flags | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw TestServerError.system("open \(path)") }
    return descriptor
  }
}
