import Foundation
import OpenCombine
import URLLoading

extension URLSession {
  /// Publishes the body and the response of a load, then finishes.
  ///
  /// Each subscriber has its own task, made by its first demand; `share()` or `multicast` shares one. A status such as
  /// 404 is not a failure. A response without a body has empty `Data`. Cancelling the subscription cancels the task,
  /// and nothing is published afterwards.
  ///
  /// The subscriber is called on the session's delegate queue, which is not the main queue unless the session was made
  /// so. In Swift 6 mode the compiler infers the main actor for closures in a main-actor context (a view model,
  /// top-level code), and OpenCombine, which predates that mode, does not declare that it calls them elsewhere. Such closures
  /// race with the main actor, or, in a file that imports `OpenCombine` itself, trap. Any of these prevents that:
  ///
  /// - `receive(on: DispatchQueue.main)` as the first operator, in front of all closures;
  /// - a session with `delegateQueue: .main`;
  /// - `{ @Sendable in … }` for each closure in front of `receive(on:)`, or a `nonisolated` function that makes the publisher;
  /// - `for try await value in publisher.values`.
  public struct DataTaskPublisher: Publisher, Sendable {
    /// The body and the response of a load.
    public typealias Output = (data: Data, response: URLResponse)
    /// `unknown` for what a protocol class fails with that is no `URLError`; that is its underlying error.
    public typealias Failure = URLError

    /// What is loaded.
    public let request: URLRequest
    /// What loads it.
    public let session: URLSession

    /// - Parameters:
    ///   - request: what to load.
    ///   - session: what loads it.
    public init(request: URLRequest, session: URLSession) {
      self.request = request
      self.session = session
    }

    /// Subscribes. Nothing is loaded before the subscriber demands it.
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == URLError {
      let (request, session) = (request, session)
      let subscription = TaskSubscription(to: "DataTaskPublisher", downstream: AnyDownstream(subscriber)) { answer in
        session.dataTask(with: request) { data, response, error in
          guard let response, error == nil else { return answer(.failure(URLError(ofLoad: error))) }
          answer(.success((data ?? Data(), response)))
        }
      }
      subscriber.receive(subscription: subscription)
    }
  }

  /// A publisher of the body and the response of a URL.
  public func dataTaskPublisher(for url: URL) -> DataTaskPublisher {
    dataTaskPublisher(for: URLRequest(url: url))
  }

  /// A publisher of the body and the response of a request.
  public func dataTaskPublisher(for request: URLRequest) -> DataTaskPublisher {
    DataTaskPublisher(request: request, session: self)
  }
}
