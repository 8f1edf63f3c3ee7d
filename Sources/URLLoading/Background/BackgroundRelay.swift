internal import URLLoadingBase

/// What a background task's load has in the place of a protocol class's instance: reports to the load what the transfer service says.
///
/// It is no protocol class that a registry knows, and may tell the load what no other instance can: that bytes have arrived elsewhere.
///
/// Mutable state: `question`, guarded by its lock; the background task calls it from one thread at a time.
final class BackgroundRelay: URLProtocol, @unchecked Sendable {
  override class var capabilities: Capabilities { [.nonblocking, .byteRanges, .upload] }

  private var background: BackgroundTask? { task?.load.plan.background }

  /// The load's client, which takes what no other instance reports; nil for an instance that no load has made.
  private let loadClient: LoadClient?

  /// What the delegate is being asked, by the number that the service has for it. One that is asked again, by a service that was started
  /// again or after a suspension, is the same for the delegate.
  private let question = Locked<Int?>(nil)

  init(_ request: URLRequest, client: LoadClient) {
    loadClient = client
    super.init(request: request, cachedResponse: nil, client: client)
  }

  required init(request: URLRequest, cachedResponse: CachedURLResponse?, client: (any URLProtocolClient)?) {
    loadClient = nil
    super.init(request: request, cachedResponse: cachedResponse, client: client)
  }

  override func startLoading() { background?.begin(self) }

  // Whether the service is told depends on how the load ends, see `BackgroundTask.end()`.
  override func stopLoading() {}

  func receive(_ event: BackgroundEvent) {
    guard let client = loadClient else { return }
    switch event {
    case .request(let data): BackgroundValues.request(data).map(client.replaceRequest)
    case .waitsForConnectivity: client.waitsForConnectivity()
    case .response(let data):
      guard let response = BackgroundValues.response(data) else { return }
      client.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
      if let whole = response.contentRange?.completeLength { client.expect(whole) }
    case .resumed(let offset, let expected): client.resumed(at: offset, expecting: expected)
    case .progress(let progress): client.progressed(progress)
    case .asks(let number, let content):
      let isAsked = question.withLock { question in
        defer { question = number }
        return question != nil
      }
      if !isAsked { ask(content, client) }
    case .ended(let outcome): end(outcome, client)
    }
  }

  private func ask(_ content: BackgroundQuestion, _ client: LoadClient) {
    switch content {
    case .delayedRequest:
      client.askAboutDelayedRequest { [self] disposition, request in
        switch disposition {
        case .continueLoading: answer(.proceed(request: nil))
        case .useNewRequest: answerNewRequest(request, client)
        case .cancel: answer(.cancel)
        }
        return disposition != .cancel
      }
    case .challenge(let plain, let proposed, let failures, let response, let trust):
      guard let space = self.space(plain, trust, client) else { return answer(.performDefaultHandling) }
      let challenge = URLAuthenticationChallenge(
        protectionSpace: space, proposedCredential: proposed.flatMap(BackgroundValues.credential),
        previousFailureCount: failures, failureResponse: response.flatMap(BackgroundValues.response), error: nil,
        sender: BackgroundChallengeSender { [self] in answer($0) })
      client.urlProtocol(self, didReceive: challenge)
    }
  }

  private func answerNewRequest(_ request: URLRequest?, _ client: LoadClient) {
    guard let request else { return answer(.proceed(request: nil)) }
    let session = client.session
    do throws(URLError) {
      answer(.proceed(request: try session.dataForService(session.completedForService(request))))
    } catch {
      // The service would never hear of it, and wait.
      client.urlProtocol(self, didFailWithError: error)
    }
  }

  private func space(_ plain: Data, _ trust: BackgroundServerTrust?, _ client: LoadClient) -> URLProtectionSpace? {
    guard let space = BackgroundValues.protectionSpace(plain), let trust else {
      return BackgroundValues.protectionSpace(plain)
    }
    let authorities = client.session.component(CurlSession.self).authorities
    return trust.space(scheme: space.protocol ?? NSURLProtectionSpaceHTTPS, authorities)
  }

  private func answer(_ given: BackgroundAnswer) {
    if let number = question.withLock({ $0.take() }) { background?.answer(number, given) }
  }

  private func end(_ outcome: BackgroundOutcome, _ client: LoadClient) {
    client.progressed(outcome.progress)
    if let metrics = outcome.metrics?.taskMetrics { client.collected(metrics) }
    if let failure = outcome.error {
      var info: [String: any Sendable] = [:]
      if let data = outcome.resumeData, let task { info[task.resumeDataKey] = data }
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
