internal import URLLoadingBase

/// What a background task's load has in the place of a protocol class's instance: reports to the load what the transfer service says.
///
/// It is no protocol class that a registry knows, and may tell the load what no other instance can: that bytes have arrived elsewhere.
///
/// Mutable state: none but the superclass's; the background task calls it from one thread at a time.
final class BackgroundRelay: URLProtocol, @unchecked Sendable {
  override class var capabilities: Capabilities { [.nonblocking, .byteRanges, .upload] }

  private var background: BackgroundTask? { task?.load.plan.background }

  override func startLoading() { background?.begin(self) }

  // Whether the service is told depends on how the load ends, see `BackgroundTask.end()`.
  override func stopLoading() {}

  func receive(_ event: BackgroundEvent) {
    guard let client = client as? LoadClient else { return }
    switch event {
    case .request(let data): BackgroundValues.request(data).map(client.replaceRequest)
    case .waitsForConnectivity: client.waitsForConnectivity()
    case .response(let data):
      guard let response = BackgroundValues.response(data) else { return }
      client.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
      if let whole = response.contentRange?.completeLength { client.expect(whole) }
    case .resumed(let offset, let expected): client.resumed(at: offset, expecting: expected)
    case .progress(let progress): client.progressed(progress)
    case .asks(let question, .delayedRequest): askAboutDelayedRequest(question, client)
    case .asks(let question, .challenge(let space, let proposed, let failures, let response)):
      guard let space = BackgroundValues.protectionSpace(space), let background else { return }
      let sender = BackgroundChallengeSender { background.answer(question, $0) }
      let challenge = URLAuthenticationChallenge(
        protectionSpace: space, proposedCredential: proposed.flatMap(BackgroundValues.credential),
        previousFailureCount: failures, failureResponse: response.flatMap(BackgroundValues.response), error: nil,
        sender: sender)
      client.urlProtocol(self, didReceive: challenge)
    case .withdrew: client.withdrawChallenge()
    case .ended(let outcome): end(outcome, client)
    }
  }

  private func askAboutDelayedRequest(_ question: Int, _ client: LoadClient) {
    guard let background else { return }
    client.askAboutDelayedRequest { disposition, request in
      switch disposition {
      case .continueLoading: background.answer(question, .proceed(request: nil))
      case .useNewRequest:
        background.answer(question, .proceed(request: request.map { BackgroundValues.data(of: $0) }))
      case .cancel: background.answer(question, .cancel)
      }
      return disposition != .cancel
    }
  }

  private func end(_ outcome: BackgroundOutcome, _ client: LoadClient) {
    client.progressed(outcome.progress)
    if let failure = outcome.error {
      var info: [String: any Sendable] = [:]
      if let data = outcome.resumeData {
        let isUpload = task is URLSessionUploadTask
        info[isUpload ? NSURLSessionUploadTaskResumeData : NSURLSessionDownloadTaskResumeData] = data
      }
      return client.urlProtocol(self, didFailWithError: failure.error(adding: info))
    }
    if outcome.tookFile { client.dropFile() }
    guard let file = outcome.file else { return client.urlProtocolDidFinishLoading(self) }
    guard task is URLSessionDownloadTask else { return send(file, client) }
    do {
      try client.adopt(file: file)
      client.urlProtocolDidFinishLoading(self)
    } catch {
      client.urlProtocol(self, didFailWithError: error)
    }
  }

  /// Sends the answer to an upload, which is in a file.
  private func send(_ file: String, _ client: LoadClient) {
    BlockingPool.protocols.run {
      do {
        let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: file))
        while let piece = try handle.read(upToCount: 64 << 10), !piece.isEmpty {
          client.urlProtocol(self, didLoad: piece)
          try client.gate.blockUntilOpen()
        }
        client.urlProtocolDidFinishLoading(self)
      } catch {
        client.urlProtocol(self, didFailWithError: error)
      }
    }
  }
}
