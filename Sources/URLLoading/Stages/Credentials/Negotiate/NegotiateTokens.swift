internal import URLLoadingBase

/// Has tokens of GSS-API made on threads of its own, since each call blocks as long as the KDC takes: half a minute and more where that
/// is silent.
///
/// Loads that wait for one host share a call, so that a thousand of them block one thread, and ask a KDC that fails once. Who no longer
/// wants a token leaves at once; a call that has begun goes on.
///
/// Mutable state: `queue`, guarded by its lock.
final class NegotiateTokens: Sendable {
  typealias Outcome = Result<Data, NegotiateLogin.Failure>

  /// Somebody who wants a token.
  struct Request: Sendable {
    let host: String
    let number: Int
  }

  static let shared = NegotiateTokens { host throws(NegotiateLogin.Failure) in try NegotiateLogin.token(for: host) }

  /// As many hosts can be without an answer before others wait. Nothing else uses these threads.
  static let maximumCallCount = 64

  private let pool = BlockingPool(name: "URLLoading GSS-API", maximumThreadCount: maximumCallCount)
  private let make: @Sendable (String) throws(NegotiateLogin.Failure) -> Data
  private let queue = Locked(NegotiateQueue())

  /// - Parameter make: makes a token for a host; it may block.
  init(make: @escaping @Sendable (String) throws(NegotiateLogin.Failure) -> Data) {
    self.make = make
  }

  /// Requests a token for one use.
  /// - Parameter take: gets the token, or why there is none, on a thread of the pool, never within this call; the caller may hold a lock that
  ///   it takes. Not called if the request is cancelled before.
  func get(for host: String, _ take: @escaping @Sendable (Outcome) -> Void) -> Request {
    let waiter = NegotiateQueue.Waiter(take: take)
    let (request, isFirst) = queue.withLock { $0.add(waiter, for: host) }
    if isFirst { call(for: host) }
    return request
  }

  /// Withdraws a request. What takes its outcome is released.
  func cancel(_ request: Request) {
    let released = queue.withLock { $0.remove(request) }
    withExtendedLifetime(released) {}
  }

  private func call(for host: String) {
    pool.run {
      guard self.queue.withLock({ $0.begins(for: host) }) else { return }
      let outcome = self.outcome(for: host)
      let hasToken = if case .success = outcome { true } else { false }
      let (takers, callsAgain) = self.queue.withLock { $0.ended(for: host, hasToken: hasToken) }
      if callsAgain { self.call(for: host) }
      for taker in takers { taker.take(outcome) }
    }
  }

  private func outcome(for host: String) -> Outcome {
    do throws(NegotiateLogin.Failure) {
      return .success(try make(host))
    } catch {
      return .failure(error)
    }
  }
}
