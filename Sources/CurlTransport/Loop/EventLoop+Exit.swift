import Dispatch
import Glibc

/// The loop's thread while the process exits.
extension EventLoop {
  /// Keeps the thread out of OpenSSL once the process exits. To be asked for after OpenSSL's first use: handlers of `exit` run in the
  /// reverse order of their registration.
  ///
  /// OpenSSL frees its locks in a handler of its own, while the thread may still close connections. It takes these locks where keys
  /// belong to an engine, as those of tokens do, and so may all others then: without this, 1 process in 4 crashed at its end.
  package static let parksAtExit: Void = {
    atexit {
      guard EventLoop.shared.start() == 0 else { return }
      let isParked = DispatchSemaphore(value: 0)
      EventLoop.shared.execute {
        isParked.signal()
        while true { pause() }
      }
      // A thread that is busy for longer may crash, which is better than a process that does not end.
      _ = isParked.wait(timeout: .now() + .milliseconds(500))
    }
  }()
}
