import Foundation
import Glibc
internal import URLLoadingBase
internal import URLLoadingCSSH2

/// A connection to an SSH server with one channel, on a thread of its own.
///
/// Mutable state:
/// - `inbox`: work from other threads, guarded by its lock. The thread takes it out.
/// - `measured`: what was measured so far, guarded by its lock. The thread writes it.
/// - everything else belongs to ``ConnectionDriver``, confined to the thread.
final class SSHConnection: Sendable {
  typealias Work = @Sendable (ConnectionDriver) -> Void

  private struct Inbox {
    var work: [Work] = []
    /// The channel's user, until the thread has it.
    var user: (any SSHChannelUser)?
    /// The thread knows that there is work.
    var isSignalled = false
    var hasEnded = false
  }

  let options: SSHConnectionOptions
  private let inbox: Locked<Inbox>
  private let measured: Locked<SSHConnectionMetrics>
  /// Left when the thread has run its last work.
  private let lastWork = DispatchGroup()
  /// An eventfd that wakes the thread.
  private let wakeDescriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))

  /// Makes a connection that does nothing yet.
  /// - Parameter user: its `channelDidClose` reports the end, once.
  init(_ options: SSHConnectionOptions, user: any SSHChannelUser) {
    self.options = options
    inbox = Locked(Inbox(user: user))
    measured = Locked(SSHConnectionMetrics(port: options.port))
  }

  deinit {
    if wakeDescriptor >= 0 { Glibc.close(wakeDescriptor) }
  }

  /// Connects. Later calls have no effect.
  func start() {
    let user = inbox.withLock { inbox in
      defer { inbox.user = nil }
      return inbox.user
    }
    guard let user else { return }
    lastWork.enter()
    BlockingThread.run(name: "SSH connection", stackSize: 1 << 19) {
      ConnectionDriver(connection: self, user: user, wakeDescriptor: self.wakeDescriptor).run()
    }
  }

  /// Runs work on the connection's thread, after everything posted before it.
  /// - Returns: false if the connection has ended, and the work is not going to run.
  @discardableResult
  func perform(_ work: @escaping @Sendable () -> Void) -> Bool {
    post { _ in work() }
  }

  /// Waits for the thread's last work, after the connection has refused work.
  func waitForLastWork() { lastWork.wait() }

  /// Ends the connection at any point; the user gets this error.
  func close(_ reason: SSHFailure? = nil) {
    post { $0.close(reason) }
  }

  var metrics: SSHConnectionMetrics { measured.withLock { $0 } }

  // MARK: For the thread and its helpers

  @discardableResult
  func post(_ work: @escaping Work) -> Bool {
    inbox.withLock { inbox in
      guard !inbox.hasEnded else { return false }
      inbox.work.append(work)
      if !inbox.isSignalled {
        inbox.isSignalled = true
        eventfd_write(wakeDescriptor, 1)
      }
      return true
    }
  }

  func takeWork() -> [Work] {
    inbox.withLock { inbox in
      if inbox.isSignalled {
        inbox.isSignalled = false
        var count: eventfd_t = 0
        eventfd_read(wakeDescriptor, &count)
      }
      defer { inbox.work = [] }
      return inbox.work
    }
  }

  /// Takes the work that was posted, and refuses more.
  func takeLastWork() -> [Work] {
    inbox.withLock { inbox in
      inbox.hasEnded = true
      defer { inbox.work = [] }
      return inbox.work
    }
  }

  func didDoLastWork() { lastWork.leave() }

  func measure(_ change: (inout SSHConnectionMetrics) -> Void) {
    measured.withLock { change(&$0) }
  }
}
