/// Decides which requests go out together on connections that take many at once.
///
/// libcurl writes each request by itself, and each write is a packet, an interrupt and a wake-up of the server. While TCP_CORK is set
/// (tcp(7)), the kernel holds writes back and makes one packet of them. The server gets some of a crowd at a time, to be at work while
/// the rest is written.
struct RequestBatch {
  /// What to do with the connections.
  enum Action: Equatable {
    case nothing
    /// Writes are held back from now on.
    case hold
    /// What is held back is sent.
    case flush
    /// What is held back is sent, and no more is held back.
    case release
  }

  /// So many requests are sent together.
  static let size = 8

  private var newcomers = 0
  private var heldRequests = 0
  private var isHolding = false

  /// libcurl was given a transfer, and will begin with it in a turn to come.
  mutating func added() {
    newcomers += 1
  }

  /// libcurl begins with what it was given.
  mutating func begins() -> Action {
    defer { newcomers = 0 }
    // A lone one gains nothing, and a system call is dear.
    guard newcomers > 1 else { return .nothing }
    isHolding = true
    heldRequests = 0
    return .hold
  }

  /// A request is about to be written.
  mutating func requestBegins() -> Action {
    guard isHolding else { return .nothing }
    defer { heldRequests += 1 }
    guard heldRequests == Self.size else { return .nothing }
    heldRequests = 0
    return .flush
  }

  /// libcurl has begun with all.
  mutating func ends() -> Action {
    guard isHolding else { return .nothing }
    isHolding = false
    return .release
  }
}
