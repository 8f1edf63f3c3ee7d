import URLLoading
internal import URLLoadingBase

/// What a `dav` load asks of its server, by `http` loads of the same session: configuration, credentials, trust, proxies, cookies, cache and
/// cancellation are those of the program.
///
/// Mutable state: `state`, guarded by its lock.
final class Exchange: Sendable {
  private struct State {
    /// A load found no network, where the session waits for one.
    var lacksNetwork = false
    /// Loads that have begun, and those whose metrics have come.
    var begun = 0
    var collected = 0
    /// Waits for the others'.
    var waiter: UnsafeContinuation<Void, Never>?
    var isOver = false
  }

  /// Bytes of an answer that are read for nothing.
  private static let mostDropped = 64 << 10
  private static let longestDropping = Duration.seconds(1)

  /// The `dav` URL.
  let url: URL
  let writer: AsyncURLProtocol.Writer
  private let instance: WebDAVProtocol
  private let client: any URLProtocolSessionClient
  private let session: URLSession
  private let original: URLRequest
  private let delegate: any URLSessionTaskDelegate & ExchangeDelegate
  private let wantsMetrics: Bool
  private let state = Locked(State())
  /// Set once, before anything else is called.
  private let number = Locked(0)

  init(_ original: URLRequest, _ writer: AsyncURLProtocol.Writer, _ instance: WebDAVProtocol) throws {
    guard let url = original.url, url.host(percentEncoded: false)?.isEmpty == false else {
      throw URLError(.badURL, message: "A WebDAV URL names a host.", url: original.url)
    }
    guard let client = instance.client as? any URLProtocolSessionClient else { throw URLError(.badURL) }
    self.url = url.absoluteURL
    self.writer = writer
    self.instance = instance
    self.client = client
    self.original = original
    session = client.session
    let demand = client.urlProtocolDemand(instance)
    wantsMetrics = demand.wantsMetrics
    let delegates = session.component(ExchangeDelegates.self)
    // Metrics are wanted wherever there is a delegate.
    delegate =
      demand.connectionJudge == nil && !wantsMetrics ? delegates.quiet : delegates.asking(for: demand.connectionJudge)
    let added = delegate.add(self)
    number.withLock { $0 = added }
    client.gate.whenEnded { [weak self] in self?.end() }
    // Until the response, only the loads behind it have a timeout.
    client.urlProtocol(instance, isWaiting: true)
  }

  deinit {
    delegate.remove(number.withLock { $0 })
  }

  // MARK: Requests

  /// The session's settings for WebDAV.
  var configuration: WebDAVConfiguration { session.configuration.webDAV }

  /// The `http` request of another URL of the server, or of the same: with the method and the fields of the `dav` request, without a body.
  func request(for other: URL? = nil) -> URLRequest {
    var request = original
    request.url = Self.web(other ?? url)
    (request.httpBody, request.httpBodyStream) = (nil, nil)
    return request
  }

  /// The URL for `http`, spelled as it is otherwise; its user and password answer the server's challenge.
  static func web(_ url: URL) -> URL {
    let text = url.absoluteString
    return URL(string: "http" + text.dropFirst("dav".utf8.count)) ?? url
  }

  /// Sends a request without a body, or with one that it has.
  func open(_ request: URLRequest) async throws -> (URLSession.AsyncBytes, HTTPURLResponse) {
    let (bytes, answer) = try await session.bytes(for: begin(request), delegate: delegate)
    return (bytes, try Self.head(answer))
  }

  /// Sends the body of the upload, wherever it is.
  func store(_ request: URLRequest, _ body: URLUploadBody) async throws -> HTTPURLResponse {
    switch body {
    case .data(let data):
      return try Self.head(try await session.upload(for: begin(request), from: data, delegate: delegate).1)
    case .file(let file, _):
      return try Self.head(try await session.upload(for: begin(request), fromFile: file, delegate: delegate).1)
    case .stream(let stream, let length):
      var streamed = request
      streamed.httpBodyStream = stream
      if let length { streamed.setValue("\(length)", forHTTPHeaderField: "Content-Length") }
      return try Self.head(try await session.data(for: begin(streamed), delegate: delegate).1)
    }
  }

  /// Reads what is left of an answer that matters no more, if that is little and comes at once: its connection can be used again then.
  func drop(_ bytes: URLSession.AsyncBytes) async throws {
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        var count = 0
        do {
          for try await chunk in bytes.chunks {
            count += chunk.count
            if count > Self.mostDropped { break }
          }
        } catch {}
      }
      group.addTask { try? await Task.sleep(for: Self.longestDropping) }
      await group.next()
      group.cancelAll()
    }
    try Task.checkCancellation()
  }

  private func begin(_ request: URLRequest) -> URLRequest {
    state.withLock { $0.begun += 1 }
    return ExchangeDelegate.marked(request, number.withLock { $0 })
  }

  private static func head(_ answer: URLResponse) throws -> HTTPURLResponse {
    guard let head = answer as? HTTPURLResponse else { throw URLError(.badServerResponse) }
    return head
  }

  // MARK: Answers

  /// The response comes now, or the next entries.
  func responds() { client.urlProtocol(instance, isWaiting: false) }

  /// Responds to what has no body.
  func respondWithNothing() async throws {
    await settle()
    responds()
    try await writer.respond(mimeType: nil, length: 0)
  }

  /// Waits for the metrics of the loads that have ended.
  func settle() async {
    guard wantsMetrics else { return }
    await withUnsafeContinuation { continuation in
      let isDone = state.withLock { state in
        if state.isOver || state.collected >= state.begun { return true }
        state.waiter = continuation
        return false
      }
      if isDone { continuation.resume() }
    }
  }

  private func end() {
    let waiter = state.withLock { state in
      state.isOver = true
      return state.waiter.take()
    }
    waiter?.resume()
  }

  /// What the `dav` load fails with. What its server's answers mean has an error already; others are those of the `http` load.
  func failure(_ error: any Error) -> any Error {
    if state.withLock({ $0.lacksNetwork }) {
      return URLError(
        .notConnectedToInternet, message: "There is no network connection to the server of \(url.redactedDescription).",
        url: url)
    }
    guard let error = error as? URLError, error.failingURL != url else { return error }
    var info = error.userInfo
    info[NSURLErrorFailingURLErrorKey] = url
    info["NSErrorFailingURLStringKey"] = url.absoluteString
    if info[NSUnderlyingErrorKey] == nil { info[NSUnderlyingErrorKey] = error }
    return URLError(_nsError: NSError(domain: NSURLErrorDomain, code: error.code.rawValue, userInfo: info))
  }

  // MARK: What the loads ask and report

  func lacksNetwork() { state.withLock { $0.lacksNetwork = true } }

  func ask(_ challenge: URLAuthenticationChallenge, _ handler: @escaping ForwardedChallenge.Handler) {
    let (client, instance) = (client, instance)
    client.urlProtocol(instance, isWaiting: false)
    let sender = ForwardedChallenge { disposition, credential in
      client.urlProtocol(instance, isWaiting: true)
      handler(disposition, credential)
    }
    client.gate.whenEnded { sender.answer(.cancelAuthenticationChallenge) }
    client.urlProtocol(
      instance, didReceive: URLAuthenticationChallenge(authenticationChallenge: challenge, sender: sender))
  }

  func didSend(_ count: Int64) { writer.reportUploadProgress(totalBytesSent: count) }

  func needsNewBodyStream(_ handler: @escaping @Sendable (InputStream?) -> Void) {
    client.urlProtocol(instance, needsNewBodyStream: handler)
  }

  func didCollect(_ metrics: URLSessionTaskMetrics) {
    // The last exchange with the server is the one that the response is of.
    if let last = metrics.transactionMetrics.last { client.urlProtocol(instance, didCollect: last) }
    let waiter = state.withLock { state in
      state.collected += 1
      return state.collected >= state.begun ? state.waiter.take() : nil
    }
    waiter?.resume()
  }
}
