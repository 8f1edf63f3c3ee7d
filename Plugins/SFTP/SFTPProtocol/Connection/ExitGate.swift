import Dispatch
import Glibc
internal import URLLoadingBase
internal import URLLoadingCOpenSSL
internal import URLLoadingCSSH2

/// Keeps threads out of libcrypto once the process exits.
///
/// libcrypto frees what its threads share in a handler of `exit`, while connections may still encrypt, which crashes. The gate's
/// handler runs before libcrypto's: it lets no more threads in and waits for those inside.
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
    return ExitGate(park: { while true { pause() } })
  }()

  private let state = Locked(State())
  /// Signalled when the last thread leaves a closed gate.
  private let isEmpty = DispatchSemaphore(value: 0)
  private let park: @Sendable () -> Never

  /// - Parameter park: blocks a thread that may not enter any more.
  init(park: @escaping @Sendable () -> Never) {
    self.park = park
  }

  /// Enters. Does not return once the process exits.
  func enter() {
    let isInside = state.withLock { state in
      if !state.isClosed { state.insideCount += 1 }
      return !state.isClosed
    }
    if !isInside { park() }
  }

  func leave() {
    let isLast = state.withLock { state in
      state.insideCount -= 1
      return state.isClosed && state.insideCount == 0
    }
    if isLast { isEmpty.signal() }
  }

  func inside<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    enter()
    defer { leave() }
    return try body()
  }

  /// Calls `body`, such as a wait, outside, on a thread that is inside.
  func outside<Result>(_ body: () -> Result) -> Result {
    leave()
    defer { enter() }
    return body()
  }

  /// Lets no more threads in, and waits for those inside.
  /// - Parameter limit: ends the wait for a thread that is stuck, or that is the one that exits.
  func close(waitingFor limit: Duration) {
    let mustWait = state.withLock { state in
      state.isClosed = true
      return state.insideCount > 0
    }
    if mustWait { _ = isEmpty.wait(timeout: .now() + .nanoseconds(Int(clamping: limit.wholeNanoseconds))) }
  }
}
