/// The queue of a session that was given none: serial, with a thread whenever it has work.
///
/// By itself an operation queue shares a pool of about one thread a core, which blocked delegates of other sessions would
/// use up. A serial dispatch queue is not limited so.
// Safe to share: its one property is immutable.
final class DelegateQueue: OperationQueue, @unchecked Sendable {
  // Held here, since `underlyingQueue` does not hold it.
  private let serialQueue = DispatchQueue(label: "URLSession delegate queue")

  override init() {
    super.init()
    maxConcurrentOperationCount = 1
    name = "URLSession delegate queue"
    underlyingQueue = serialQueue
  }
}
