/// What a data or upload task reports to its owner, and asks it.
@preconcurrency
public protocol URLSessionDataDelegate: URLSessionTaskDelegate {
  /// The head of the response was received. The load pauses until the handler is called with what to do.
  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void)

  /// The async form of the method with a completion handler.
  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse
  ) async -> URLSession.ResponseDisposition

  /// The data task became a download task, which continues the load; this is the last call about the data task.
  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didBecome downloadTask: URLSessionDownloadTask)

  /// The data task became a stream task, which reads the rest of the body; this is the last call about the data task.
  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didBecome streamTask: URLSessionStreamTask)

  /// A part of the body was received: new bytes only.
  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data)

  /// The response is about to be kept in the session's cache: its body is whole. Call the handler with what to keep, or with nil to keep
  /// nothing.
  ///
  /// It is asked about a response that the rules of its protocol allow to be kept, that did not come from the cache, and that takes no more
  /// than a twentieth of the cache's capacity. Its body is collected in memory for it.
  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, willCacheResponse proposedResponse: CachedURLResponse,
    completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void)

  /// The async form of the method with a completion handler.
  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, willCacheResponse proposedResponse: CachedURLResponse
  ) async -> CachedURLResponse?
}

extension URLSessionDataDelegate {
  /// Calls the async form; where there is none, the task continues.
  public func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    DelegateForms.askAsyncForm(of: self, .response, absent: .allow, completionHandler) {
      await self.urlSession(session, dataTask: dataTask, didReceive: response)
    }
  }

  /// Calls the form with a handler; where there is none, the task continues.
  public func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse
  ) async -> URLSession.ResponseDisposition {
    await DelegateForms.askHandlerForm(of: self, .response, absent: .allow) { handler in
      self.urlSession(session, dataTask: dataTask, didReceive: response, completionHandler: handler)
    }
  }

  /// Does nothing.
  public func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didBecome downloadTask: URLSessionDownloadTask
  ) {
    DelegateProbe.reachedDefault(of: self, .becameDownload)
  }

  /// Does nothing.
  public func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didBecome streamTask: URLSessionStreamTask
  ) {
    DelegateProbe.reachedDefault(of: self, .becameStream)
  }

  /// Does nothing.
  public func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    DelegateProbe.reachedDefault(of: self, .data)
  }

  /// Calls the async form; where there is none, the response is kept as proposed.
  public func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, willCacheResponse proposedResponse: CachedURLResponse,
    completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void
  ) {
    DelegateForms.askAsyncForm(of: self, .cached, absent: proposedResponse, completionHandler) {
      await self.urlSession(session, dataTask: dataTask, willCacheResponse: proposedResponse)
    }
  }

  /// Calls the form with a handler; where there is none, the response is kept as proposed.
  public func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, willCacheResponse proposedResponse: CachedURLResponse
  ) async -> CachedURLResponse? {
    await DelegateForms.askHandlerForm(of: self, .cached, absent: proposedResponse) { handler in
      self.urlSession(
        session, dataTask: dataTask, willCacheResponse: proposedResponse, completionHandler: handler)
    }
  }
}
