import Foundation
import Glibc
internal import URLLoadingBase
internal import URLLoadingCGlibcExtensions

/// The end of a pipe whose closing ends processes and deletes files.
///
/// A small shell reads the other end. The kernel closes this end when the test process ends, even by SIGKILL, so
/// that nothing survives a test run. (PR_SET_PDEATHSIG would not do: it acts when the *thread* that started the
/// process ends, and does not reach the process's own children.)
///
/// Mutable state: the descriptor, guarded by its lock; it is closed once.
final class ProcessGuard: Sendable {
  private let writeEnd: Locked<Int32>

  init(writeEnd: Int32) {
    self.writeEnd = Locked(writeEnd)
  }

  deinit {
    release()
  }

  /// Lets the watching shell do its work now.
  func release() {
    let descriptor = writeEnd.withLock { descriptor in
      defer { descriptor = -1 }
      return descriptor
    }
    if descriptor >= 0 { close(descriptor) }
  }

  /// Ends the process group that the shell leads when descriptor 3 closes; the shell becomes the given command. What waits is not a child
  /// of the command: haproxy does not end before all its children have.
  static let script = """
    ((exec >/dev/null 2>&1 </dev/null; trap '' TERM INT HUP; read -r _ <&3
      kill -s TERM -- -$$; sleep 0.5; kill -s KILL -- -$$) &)
    exec 3<&-
    exec "$@"
    """

  /// Has a directory deleted when this process ends.
  static func deleteAtExit(_ path: String) throws {
    let pipe = try makePipe()
    defer { close(pipe.read) }
    let null = open("/dev/null", O_RDWR | O_CLOEXEC)
    defer { close(null) }
    // The servers get the time that their own guards give them. The write end stays open for good.
    let script = "trap '' TERM INT HUP; read -r _ <&3; sleep 1; rm -rf -- \"$1\""
    _ = try Spawn.start(
      "/bin/sh", ["-c", script, "sh", path], environment: ProcessInfo.processInfo.environment, directory: "/",
      input: null, output: null, error: null,
      inherited: pipe.read)
  }

  static func makePipe() throws -> (read: Int32, write: Int32) {
    var ends: [Int32] = [-1, -1]
    guard pipe2(&ends, O_CLOEXEC) == 0 else { throw TestServerError.system("pipe2") }
    return (ends[0], ends[1])
  }
}
