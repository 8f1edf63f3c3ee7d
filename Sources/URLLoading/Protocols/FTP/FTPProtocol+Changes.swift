internal import URLLoadingCurlTransport

/// Removing, making directories and moving: the transfer's commands are those of the change.
extension FTPProtocol {
  func changeEnded(_ change: FTPChange, _ result: Result<TransferMetrics, TransferFailure>) {
    switch result {
    // Nothing was changed by then.
    case .failure(let failure) where failure.urlErrorCode == .userAuthenticationRequired: challenge(failure)
    case .failure(var failure):
      if let url = request.url, case .refusedChange = failure.reason {
        failure.message = "Cannot \(change.verb.action) \(url.redactedDescription): \(failure.message)"
      }
      tell(failure)
    // Nothing is there that the upload would replace.
    case .success where change.verb == .findNothing:
      state.withLock { $0.change = nil }
      begin()
    case .success(let metrics):
      guard let url = request.url else { return }
      client?.urlProtocol(
        self, didReceive: URLResponse(url: url, mimeType: nil, expectedContentLength: 0, textEncodingName: nil),
        cacheStoragePolicy: .notAllowed)
      collect(metrics)
      client?.urlProtocolDidFinishLoading(self)
    }
  }
}
