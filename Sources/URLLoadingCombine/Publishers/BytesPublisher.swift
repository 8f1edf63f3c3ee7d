import Foundation
import OpenCombine
import URLLoading

extension URLSession {
  /// Publishes the body of a load as it comes, piece by piece, each with the response.
  ///
  /// Pieces have the size in which they came; of an empty body one empty piece is published, so that the response is seen. As every
  /// value has the response, chains are written as for a ``DataTaskPublisher``, with `map(\.data)` or a `tryMap` that looks at the status.
  ///
  /// Demand is back-pressure: what was not demanded is not read. The session holds at most `maximumBufferedBytesPerTask` of its
  /// configuration, and pauses the sender then; no timeout passes meanwhile. The end is published as soon as it is known, without a
  /// demand. A `sink` demands all, and what comes waits for it, unless `receive(on:)` is between: nothing bounds what waits for a
  /// scheduler. This does, one piece after another:
  ///
  /// ```swift
  /// .flatMap(maxPublishers: .max(1)) { Just($0).receive(on: queue).setFailureType(to: URLError.self) }
  /// ```
  ///
  /// All else is as for a ``DataTaskPublisher``, also on which thread the subscriber is called, and what that means in Swift 6 mode.
  public struct BytesPublisher: Publisher, Sendable {
    /// A piece of the body, and the response.
    public typealias Output = (data: Data, response: URLResponse)
    /// As of a ``DataTaskPublisher``; comes after all pieces that came in time.
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
      subscriber.receive(
        subscription: BytesSubscription(request: request, session: session, downstream: AnyDownstream(subscriber)))
    }
  }

  /// A publisher of the body of a URL, piece by piece.
  public func bytesPublisher(for url: URL) -> BytesPublisher {
    bytesPublisher(for: URLRequest(url: url))
  }

  /// A publisher of the body of a request's response, piece by piece.
  public func bytesPublisher(for request: URLRequest) -> BytesPublisher {
    BytesPublisher(request: request, session: self)
  }
}
