/// The retries for want of connectivity: whether an attempt that could not connect is followed by another, and when.
struct ConnectivityWait {
  /// What a load does that waits.
  struct Terms: Equatable {
    /// The delegate is told, once a task.
    var tellsDelegate: Bool
    /// The longest time until the next attempt. A change of the network begins it earlier.
    var limit: Duration
  }

  /// The longest of all such times. A name service can come back without a change that the kernel tells.
  static let longest = Duration.seconds(30)

  /// The session waits for connectivity, and so does this load.
  let isWanted: Bool
  /// The running attempt has shown that it reached its peer.
  var hasConnected = false
  /// The network has changed while the task was suspended.
  var hasChange = false
  /// Attempts that failed for want of connectivity; counted as far as it matters.
  private var failures: UInt8 = 0

  init(isWanted: Bool) {
    self.isWanted = isWanted
  }

  /// Another attempt begins.
  mutating func attemptBegins() {
    hasConnected = false
    hasChange = false
  }

  /// The attempt failed for want of connectivity.
  /// - Returns: how the load waits; nil where it fails.
  mutating func begin() -> Terms? {
    guard isWanted, !hasConnected else { return nil }
    failures = min(failures + 1, 6)
    // 1, 2, 4, 8, 16 and then 30 seconds.
    let limit = failures > 5 ? Self.longest : .seconds(1 << Int(failures - 1))
    return Terms(tellsDelegate: failures == 1, limit: limit)
  }
}
