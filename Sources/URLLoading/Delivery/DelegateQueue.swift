/// The default delegate queue of a session: serial, with its own underlying dispatch queue. Operation queues without one share a pool of
/// about one thread a core, in which delegates that block would starve other sessions.
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
