import Foundation
import URLLoading
import URLLoadingTestServers

/// A delegate of uploads that notes what it is told.
///
/// Mutable state: in values that guard themselves.
final class UploadDelegate: NSObject, URLSessionDataDelegate, Sendable {
  struct Log: Sendable {
    var announcements: [HTTPURLResponse] = []
    var sent: [(new: Int64, total: Int64, expected: Int64)] = []
    var body = Data()
    var offsets: [Int64] = []
    var redirects: [(response: HTTPURLResponse, request: URLRequest)] = []
    var error: (any Error)?
    var isDone = false

    var code: URLError.Code? { (error as? URLError)?.code }
    var resumeData: Data? { (error as? URLError)?.userInfo[NSURLSessionUploadTaskResumeData] as? Data }
    var words: String { error?.localizedDescription ?? "" }
  }

  let log = Watched(Log())
  /// Happens when the server has said that it supports resumption.
  let isAnnounced = AsyncEvent()
  /// Happens when a question about a redirect, or about another origin, has been answered.
  let hasAnswered = AsyncEvent()
  /// Happens when the session has ended its last task.
  let isInvalid = AsyncEvent()
  /// The body from a byte on.
  let stream: @Sendable (Int64) -> InputStream?
  /// The request to follow, or nil to refuse.
  let onRedirect: @Sendable (URLRequest) -> URLRequest?

  init(
    stream: @escaping @Sendable (Int64) -> InputStream? = { _ in nil },
    onRedirect: @escaping @Sendable (URLRequest) -> URLRequest? = { $0 }
  ) {
    self.stream = stream
    self.onRedirect = onRedirect
  }

  func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) { isInvalid.signal() }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    log.update { $0.redirects.append((response, request)) }
    completionHandler(onRedirect(request))
    hasAnswered.signal()
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceiveInformationalResponse response: HTTPURLResponse
  ) {
    log.update { $0.announcements.append(response) }
    isAnnounced.signal()
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
    totalBytesExpectedToSend: Int64
  ) {
    log.update { $0.sent.append((bytesSent, totalBytesSent, totalBytesExpectedToSend)) }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, needNewBodyStreamFrom offset: Int64,
    completionHandler: @escaping @Sendable (InputStream?) -> Void
  ) {
    log.update { $0.offsets.append(offset) }
    completionHandler(stream(offset))
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask,
    needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
  ) {
    completionHandler(stream(0))
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    log.update { $0.body += data }
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    log.update {
      $0.error = error
      $0.isDone = true
    }
  }
}
