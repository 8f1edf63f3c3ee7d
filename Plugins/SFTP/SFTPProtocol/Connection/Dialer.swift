import Glibc
internal import URLLoadingBase

/// Connects to the first of a server's addresses that answers. After 250 ms, or a refusal, the next attempt starts beside those
/// under way (RFC 8305, section 5).
///
/// Mutable state: all of it, confined to the connection's thread.
final class Dialer {
  enum Progress {
    case waiting
    case connected(Int32, SocketAddress)
    /// The system's error for the last address; whether this machine has a route to none of them.
    case failed(String, lacksRoute: Bool)
  }

  private static let stagger = Duration.milliseconds(250)

  private var waiting: [SocketAddress]
  private var attempts: [(descriptor: Int32, address: SocketAddress)] = []
  private var nextAttempt = MonotonicInstant.now
  private var lastProblem = "it has no address"
  /// Of the addresses that were tried some lack a route, or some do not.
  private var lacksRoute = false
  private var hasRoute = false

  init(_ addresses: [SocketAddress]) {
    waiting = addresses.reversed()
  }

  deinit {
    for attempt in attempts { close(attempt.descriptor) }
  }

  /// Sockets to wait for until they can be written to.
  var descriptors: [Int32] { attempts.map(\.descriptor) }

  /// When to call ``advance(_:)`` even if no socket is ready.
  var nextTime: MonotonicInstant? { waiting.isEmpty ? nil : nextAttempt }

  func advance(_ now: MonotonicInstant) -> Progress {
    for (index, attempt) in attempts.enumerated().reversed() {
      switch outcome(of: attempt.descriptor) {
      case nil: continue
      case 0:
        attempts.remove(at: index)
        return .connected(attempt.descriptor, attempt.address)
      case .some(let code):
        record(code, attempt.address)
        close(attempt.descriptor)
        attempts.remove(at: index)
        nextAttempt = now
      }
    }
    while let address = waiting.last, attempts.isEmpty || now >= nextAttempt {
      waiting.removeLast()
      nextAttempt = now.advanced(by: Self.stagger)
      guard let descriptor = begin(address) else { continue }
      attempts.append((descriptor, address))
    }
    return attempts.isEmpty ? .failed(lastProblem, lacksRoute: lacksRoute && !hasRoute) : .waiting
  }

  private func record(_ code: Int32, _ address: SocketAddress) {
    lastProblem = String(cString: strerror(code))
    let isMissing = address.withPointer { pointer, length in
      pointer.map { Route.isMissing(code, to: $0, length: length) } ?? false
    }
    if isMissing { lacksRoute = true } else { hasRoute = true }
  }

  private func begin(_ address: SocketAddress) -> Int32? {
    let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    let descriptor = socket(address.family, type, Int32(IPPROTO_TCP))
    guard descriptor >= 0 else {
      lastProblem = String(cString: strerror(errno))
      return nil
    }
    // Small requests must not wait for an acknowledgement (RFC 896).
    var on: Int32 = 1
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    if address.withPointer({ connect(descriptor, $0, $1) }) == 0 || errno == EINPROGRESS { return descriptor }
    record(errno, address)
    close(descriptor)
    return nil
  }

  /// 0 if connected, the error if refused, nil while under way.
  private func outcome(of descriptor: Int32) -> Int32? {
    var poll = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    guard Glibc.poll(&poll, 1, 0) > 0 else { return nil }
    var code: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size) == 0 ? code : errno
  }
}
