import Glibc
internal import URLLoadingBase
import URLLoadingCOpenSSL
import URLLoadingCSSH2

/// Keeps threads out of libcrypto once the process exits.
///
/// libcrypto frees what it shares when `exit` runs its handlers, while connections may still encrypt: that crashes a program which
/// only wanted to end. This gate's handler runs before libcrypto's. It waits for those inside; who comes later stays outside.
///
/// Mutable state: `state`, guarded by its lock.
final class ExitGate: Sendable {
  private struct State {
    var insideCount = 0
    var isClosed = false
  }

  /// The gate of this process, which `exit` closes. Its first use initialises libssh2 and libcrypto: handlers run in the reverse
  /// order of their registration.
  static let shared: ExitGate = {
    OPENSSL_init_crypto(0, nil)
    _ = libssh2_init(0)
    atexit { ExitGate.shared.close(waitingFor: .milliseconds(500)) }
    return ExitGate(park: { pause() })
  }()

  private let state = Locked(State())
  private let park: @Sendable () -> Void

  /// - Parameter park: called again and again by who may not come in any more.
  init(park: @escaping @Sendable () -> Void) {
    self.park = park
  }

  /// Goes in. Does not return once the process exits.
  func enter() {
    while true {
      let isInside = state.withLock { state in
        if !state.isClosed { state.insideCount += 1 }
        return !state.isClosed
      }
      if isInside { return }
      park()
    }
  }

  func leave() {
    state.withLock { $0.insideCount -= 1 }
  }

  /// Does something inside.
  func inside<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    enter()
    defer { leave() }
    return try body()
  }

  /// Does something outside, such as waiting, by who is inside.
  func outside<Result>(_ body: () -> Result) -> Result {
    leave()
    defer { enter() }
    return body()
  }

  /// Lets nobody in any more, and waits for those inside.
  /// - Parameter limit: for somebody who is long over it, or who is the one that exits.
  func close(waitingFor limit: Duration) {
    let clock = ContinuousClock()
    let end = clock.now + limit
    state.withLock { $0.isClosed = true }
    while state.withLock({ $0.insideCount > 0 }), clock.now < end { usleep(500) }
  }
}
