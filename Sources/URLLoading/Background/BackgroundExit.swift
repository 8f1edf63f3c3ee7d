internal import URLLoadingBase

/// Gives the service the time to store what it was told, where the program exits: a call that makes a task does not wait for that.
///
/// Mutable state: `sessions`, guarded by its lock.
enum BackgroundExit {
  private struct Weak { weak var session: BackgroundSession? }

  private static let sessions = Locked<[Weak]>([])
  private static let process = getpid()
  private static let isRegistered: Void = {
    atexit { BackgroundExit.wait() }
  }()

  /// Waits for a session's commands when the process ends by `exit`, or by the return of its main function.
  static func watch(_ session: BackgroundSession) {
    _ = (process, isRegistered)
    sessions.withLock { sessions in
      sessions.removeAll { $0.session == nil }
      sessions.append(Weak(session: session))
    }
  }

  private static func wait() {
    // The child of a fork has no thread that would be answered.
    guard getpid() == process else { return }
    var last = Int.max
    while true {
      let untold = sessions.withLock { $0.compactMap(\.session) }.filter { $0.untoldCommands > 0 }
      let count = untold.reduce(0) { $0 + $1.untoldCommands }
      // A service that does not answer keeps no process for longer than who asks for tasks; one that has much to store is waited for.
      guard count > 0, count < last else { return }
      last = count
      let group = DispatchGroup()
      for session in untold {
        group.enter()
        session.whenSettled { _ in group.leave() }
      }
      _ = group.wait(timeout: .now() + .nanoseconds(Int(BackgroundSession.patience.wholeNanoseconds)))
    }
  }
}
