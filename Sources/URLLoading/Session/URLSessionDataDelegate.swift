/// What a data or upload task tells its owner, and asks.
public protocol URLSessionDataDelegate: URLSessionTaskDelegate {
  /// The response's head came. Nothing more comes until the handler is called with what to do.
  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void)

  /// The async form of the method with a completion handler.
  nonisolated(nonsending) func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse
  ) async -> URLSession.ResponseDisposition

  /// The data task became a download task, which goes on in its place; the data task is silent from now on.
  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didBecome downloadTask: URLSessionDownloadTask)

  /// More of the body came: new bytes only.
  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data)
}

extension URLSessionDataDelegate {
  /// Asks the async form.
  public func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    Task.immediate {
      completionHandler(await self.urlSession(session, dataTask: dataTask, didReceive: response))
    }
  }

  /// Asks the session's delegate; else goes on.
  public nonisolated(nonsending) func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse
  ) async -> URLSession.ResponseDisposition {
    guard let next = session.dataDelegate(behind: self) else { return .allow }
    return await withUnsafeContinuation { continuation in
      next.urlSession(session, dataTask: dataTask, didReceive: response) { continuation.resume(returning: $0) }
    }
  }

  /// Tells the session's delegate.
  public func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didBecome downloadTask: URLSessionDownloadTask
  ) {
    session.dataDelegate(behind: self)?.urlSession(session, dataTask: dataTask, didBecome: downloadTask)
  }

  /// Tells the session's delegate.
  public func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    session.dataDelegate(behind: self)?.urlSession(session, dataTask: dataTask, didReceive: data)
  }
}
