internal import URLLoadingBase

/// When the service looks at whether programs find its socket, and listens again. A value without I/O.
struct SocketWatch {
  private static let interval = Duration.seconds(2)
  /// Between two that replace each other's socket, such as services of two folders that share a place.
  private static let longest = Duration.seconds(300)

  private(set) var nextLook: MonotonicInstant
  private var pause = Self.interval
  /// Whether the log says already that the socket cannot be made.
  private var isReported = false

  init(now: MonotonicInstant) { nextLook = now.advanced(by: Self.interval) }

  /// The socket is where it was.
  mutating func found(at now: MonotonicInstant) {
    pause = max(Self.interval, pause / 2)
    nextLook = now.advanced(by: pause)
  }

  /// There is a new socket.
  /// - Parameter inPlaceOfAnother: whose owner may do the same; a removal alone leaves the pause as it is.
  mutating func listens(at now: MonotonicInstant, inPlaceOfAnother: Bool) {
    isReported = false
    if inPlaceOfAnother { pause = min(Self.longest, pause * 2) }
    nextLook = now.advanced(by: pause)
  }

  /// The socket cannot be made, as its folder's parent is gone until the next login.
  /// - Returns: whether that is to be said.
  mutating func failed(at now: MonotonicInstant) -> Bool {
    nextLook = now.advanced(by: Self.interval)
    return !exchange(&isReported, with: true)
  }
}
