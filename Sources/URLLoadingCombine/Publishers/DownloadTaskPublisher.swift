import Foundation
import OpenCombine
import URLLoading

extension URLSession {
  /// Publishes a file with the body of a load, and its response, then finishes.
  ///
  /// The file lasts as long as the ``DownloadedFile`` does: as the value, or what an operator makes of it, holds it. Take it with
  /// ``DownloadedFile/move(to:)`` or ``DownloadedFile/keep()``; of `map(\.file.url)` alone only the name of a removed file comes out.
  ///
  /// All else is as for a ``DataTaskPublisher``, also on which thread the subscriber is called, and what that means in Swift 6 mode.
  public struct DownloadTaskPublisher: Publisher, Sendable {
    /// The file and the response of a load.
    public typealias Output = (file: DownloadedFile, response: URLResponse)
    /// As of a ``DataTaskPublisher``; `cannotMoveFile` where the file cannot be kept.
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
      let subscription = TaskSubscription(to: "DownloadTaskPublisher", downstream: AnyDownstream(subscriber)) {
        answer in
        session.downloadTask(with: request) { file, response, error in
          guard let file, let response, error == nil else { return answer(.failure(URLError(ofLoad: error))) }
          answer(Self.kept(file).map { ($0, response) })
        }
      }
      subscriber.receive(subscription: subscription)
    }

    /// Gives a file another name: its task removes it when the handler returns.
    private static func kept(_ file: URL) -> Result<DownloadedFile, URLError> {
      let kept = file.deletingLastPathComponent().appending(component: "\(UUID().uuidString).tmp")
      do {
        try FileManager.default.moveItem(at: file, to: kept)
        return .success(DownloadedFile(kept))
      } catch {
        return .failure(URLError(.cannotMoveFile, userInfo: [NSUnderlyingErrorKey: error]))
      }
    }
  }

  /// A publisher of a file with the body of a URL.
  public func downloadTaskPublisher(for url: URL) -> DownloadTaskPublisher {
    downloadTaskPublisher(for: URLRequest(url: url))
  }

  /// A publisher of a file with the body of a request's response.
  public func downloadTaskPublisher(for request: URLRequest) -> DownloadTaskPublisher {
    DownloadTaskPublisher(request: request, session: self)
  }
}
