import Foundation
import OpenCombine
import URLLoading

extension URLSession {
  /// Publishes the body of a load in pieces as they arrive, each with the response.
  ///
  /// Pieces have the size in which they arrive; an empty body is one empty piece, so that the response is published.
  /// Since every value has the response, pipelines are written as for a ``DataTaskPublisher``, with `map(\.data)` or a
  /// `tryMap` that checks the status.
  ///
  /// Demand is back-pressure: nothing is read without demand. The session buffers at most `maximumBufferedBytesPerTask`
  /// of its configuration, and then pauses the sender; the request timeout pauses meanwhile. The completion is published without
  /// demand. A `sink` has unlimited demand, but blocks the delivery while it runs; with `receive(on:)` before it, the
  /// scheduler's queue is unbounded. To bound it, publish one piece after another:
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
