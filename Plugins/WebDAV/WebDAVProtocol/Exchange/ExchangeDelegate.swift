import URLLoading
internal import URLLoadingBase

// Safe to share: the mutable state is guarded as said below.
/// The delegate of `http` loads behind `dav` loads: what they ask and report goes to the `dav` load that each belongs to.
///
/// One has the loads of all instances whose connections the same delegate judges: a session shares no connections between loads with
/// different delegates.
///
/// Mutable state: `exchanges`, guarded by its lock.
class ExchangeDelegate: NSObject, @unchecked Sendable {
  private struct Entry {
    weak var exchange: Exchange?
  }

  /// By their numbers, which the requests have as a property.
  private let exchanges = Locked<(entries: [Int: Entry], last: Int)>(([:], 0))

  private static let property = "WebDAVProtocol.exchange"

  /// - Returns: the number of the exchange.
  func add(_ exchange: Exchange) -> Int {
    exchanges.withLock { state in
      state.last += 1
      state.entries[state.last] = Entry(exchange: exchange)
      return state.last
    }
  }

  func remove(_ number: Int) { exchanges.withLock { state in state.entries[number] = nil } }

  /// A request that says which exchange it belongs to.
  static func marked(_ request: URLRequest, _ number: Int) -> URLRequest {
    guard let marked = (request as NSURLRequest).mutableCopy() as? NSMutableURLRequest else { return request }
    URLProtocol.setProperty(number, forKey: property, in: marked)
    return marked as URLRequest
  }

  private func exchange(of task: URLSessionTask) -> Exchange? {
    guard let request = task.originalRequest,
      let number = URLProtocol.property(forKey: Self.property, in: request) as? Int
    else { return nil }
    return exchanges.withLock { $0.entries[number]?.exchange }
  }

  func ask(
    _ task: URLSessionTask, _ challenge: URLAuthenticationChallenge, _ handler: @escaping ForwardedChallenge.Handler
  ) {
    guard let exchange = exchange(of: task) else { return handler(.performDefaultHandling, nil) }
    exchange.ask(challenge, handler)
  }

  // MARK: What tasks report

  /// The program's delegate has its own task.
  func urlSession(_ session: URLSession, didCreateTask task: URLSessionTask) {}

  /// The `dav` load waits itself, and begins again then.
  func urlSession(_ session: URLSession, taskIsWaitingForConnectivity task: URLSessionTask) {
    exchange(of: task)?.lacksNetwork()
    task.cancel()
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    completionHandler(Redirection.follows(from: task.originalRequest, to: request) ? request : nil)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
    totalBytesExpectedToSend: Int64
  ) {
    exchange(of: task)?.didSend(totalBytesSent)
  }

  /// A login comes after a body that was sent: a stream is then needed once more.
  func urlSession(
    _ session: URLSession, task: URLSessionTask,
    needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
  ) {
    guard let exchange = exchange(of: task) else { return completionHandler(nil) }
    exchange.needsNewBodyStream(completionHandler)
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics) {
    exchange(of: task)?.didCollect(metrics)
  }
}
