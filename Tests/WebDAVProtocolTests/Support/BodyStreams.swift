import Foundation
import URLLoading
import URLLoadingTestServers

/// Gives a stream of the same bytes whenever it is asked for one, and notes how the task ended.
final class BodyStreams: NSObject, URLSessionTaskDelegate {
  let ends = Watched<[URLError.Code?]>([])
  private let bytes: Data

  init(_ bytes: Data) {
    self.bytes = bytes
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask,
    needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
  ) {
    completionHandler(InputStream(data: bytes))
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    ends.update { $0.append((error as? URLError)?.code) }
  }
}
