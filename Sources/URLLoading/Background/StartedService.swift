internal import URLLoadingBase

/// A transfer service that this process has started, which is nobody's child.
struct StartedService: Sendable {
  /// The path of its program.
  let path: String
  /// Becomes readable when it ends (pidfd_open(2)); -1 where the kernel does not say so.
  private let process: OpenDescriptor
  private let log: BackgroundServiceLog?

  init(path: String, process: Int32, log: BackgroundServiceLog?) {
    self.path = path
    self.process = OpenDescriptor(process)
    self.log = log
  }

  /// False also where nobody knows.
  var isRunning: Bool { process.number >= 0 && !hasEnded }

  /// False also where nobody knows.
  var hasEnded: Bool { hasEnded(within: 0) }

  /// - Parameter limit: how long it is waited for, in milliseconds.
  func hasEnded(within limit: Int32) -> Bool {
    guard process.number >= 0 else { return false }
    var watch = pollfd(fd: process.number, events: Int16(POLLIN), revents: 0)
    return poll(&watch, 1, limit) > 0
  }

  /// What it has said on standard error; empty for nothing.
  var words: String { log?.words ?? "" }
}
