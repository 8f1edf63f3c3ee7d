/// The default delegate queue of a session: serial, over a dispatch queue of its own. Operation queues without one share about one
/// thread a core, and delegates that block would starve other sessions.
// Safe to share: its one property is immutable.
final class DelegateQueue: OperationQueue, @unchecked Sendable {
  // `underlyingQueue` does not retain it.
  private let serialQueue = DispatchQueue(label: "URLSession delegate queue")

  override init() {
    super.init()
    maxConcurrentOperationCount = 1
    name = "URLSession delegate queue"
    underlyingQueue = serialQueue
  }
}
