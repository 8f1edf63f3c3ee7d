import Foundation
import URLLoading
internal import URLLoadingBase

/// What transfers say to the service.
extension TransferSession: URLSessionDownloadDelegate, URLSessionDataDelegate {
  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
    totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
  ) {
    report(downloadTask)
  }

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didResumeAtOffset fileOffset: Int64,
    expectedTotalBytes: Int64
  ) {
    guard let number = number(of: downloadTask) else { return }
    loop.post { $0.resumed(number, at: fileOffset, expecting: expectedTotalBytes) }
  }

  func urlSession(_ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL) {
    guard let number = number(of: downloadTask) else { return }
    let path = Self.bodyPath(number, in: files)
    let isMoved = rename(location.path, path) == 0
    let reason = errno
    state.withLock { state in
      state.transfers[number]?.hasFile = isMoved
      if !isMoved { state.transfers[number]?.failure = URLError.cannotWrite(path, reason) }
    }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
    totalBytesExpectedToSend: Int64
  ) {
    report(task)
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    guard let number = number(of: dataTask) else { return completionHandler(.allow) }
    let path = Self.bodyPath(number, in: files)
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
    let reason = errno
    let earlier = state.withLock { state in
      defer { state.transfers[number]?.answer = descriptor }
      if descriptor < 0 { state.transfers[number]?.failure = URLError.cannotWrite(path, reason) }
      return state.transfers[number]?.answer ?? -1
    }
    if earlier >= 0 { close(earlier) }
    completionHandler(descriptor < 0 ? .cancel : .allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    guard let number = number(of: dataTask), let transfer = state.withLock({ $0.transfers[number] }),
      transfer.failure == nil, transfer.answer >= 0
    else { return }
    let isWritten = data.withUnsafeBytes { DescriptorIO.write($0, to: transfer.answer) }
    let reason = errno
    guard !isWritten else { return }
    let failure = URLError.cannotWrite(Self.bodyPath(number, in: files), reason)
    state.withLock { $0.transfers[number]?.failure = failure }
    dataTask.cancel()
  }

  func urlSession(_ session: URLSession, taskIsWaitingForConnectivity task: URLSessionTask) {
    if let number = number(of: task) { loop.post { $0.waitsForConnectivity(number) } }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    let method = challenge.protectionSpace.authenticationMethod
    guard let number = number(of: task), method != NSURLAuthenticationMethodClientCertificate else {
      return completionHandler(.performDefaultHandling, nil)
    }
    if let trust = challenge.protectionSpace.serverTrust {
      return ask(about: trust, challenge.protectionSpace, number, completionHandler)
    }
    let question = BackgroundQuestion.challenge(
      space: BackgroundValues.data(of: challenge.protectionSpace),
      proposed: challenge.proposedCredential.map { BackgroundValues.data(of: $0) },
      failures: challenge.previousFailureCount,
      response: challenge.failureResponse.map { BackgroundValues.data(of: $0) }, trust: nil)
    loop.post { service in
      service.asked(number, question) { answer in
        switch answer {
        case .useCredential(let data): completionHandler(.useCredential, data.flatMap(BackgroundValues.credential))
        case .performDefaultHandling, .proceed, .trustsServer: completionHandler(.performDefaultHandling, nil)
        case .rejectProtectionSpace: completionHandler(.rejectProtectionSpace, nil)
        case .cancel: completionHandler(.cancelAuthenticationChallenge, nil)
        }
      }
    }
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics) {
    guard let number = number(of: task) else { return }
    state.withLock { $0.transfers[number]?.metrics = metrics }
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    ended(task, error)
  }
}
