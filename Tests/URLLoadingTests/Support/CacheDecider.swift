import Foundation
import URLLoading
import URLLoadingTestServers

/// A delegate that answers `willCacheResponse`, and keeps what it was asked.
final class CacheDecider: NSObject, URLSessionDataDelegate {
  let proposals = Watched<[CachedURLResponse]>([])
  let completions = Watched(0)
  private let answer: @Sendable (CachedURLResponse) -> CachedURLResponse?

  init(_ answer: @escaping @Sendable (CachedURLResponse) -> CachedURLResponse?) { self.answer = answer }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, willCacheResponse proposedResponse: CachedURLResponse,
    completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void
  ) {
    proposals.update { $0.append(proposedResponse) }
    completionHandler(answer(proposedResponse))
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    completions.update { $0 += 1 }
  }
}
