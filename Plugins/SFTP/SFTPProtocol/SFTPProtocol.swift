import URLLoading
internal import URLLoadingBase
internal import URLLoadingHTTPSemantics

// Safe to share: the mutable state is guarded as said below.
/// Loads `sftp` URLs: `sftp://user@host:port/path`, where a path that begins with `/~/` is below the login directory.
///
/// Register it with `URLProtocol.registerClass(SFTPProtocol.self)`, or put it in
/// `URLSessionConfiguration.protocolClasses`. Downloads, byte ranges and resuming work as for `https`; `entries(at:)`
/// lists directories; an upload task stores its body, and replaces an existing file unless the request has the field
/// `If-None-Match: *`; the method `DELETE` deletes a file or an empty directory, `MKCOL` makes a directory, `MOVE` renames, `COPY`
/// has the server copy a file, where it can.
///
/// Open for one purpose: a subclass whose ``canInit(with:)`` accepts only some URLs, such as those of one host,
/// restricts what a session can reach. Nothing else can be overridden.
///
/// Mutable state: `state`, guarded by its lock.
open class SFTPProtocol: URLProtocol, @unchecked Sendable {
  /// The method of challenges for the passphrase of a private key; their realm is the key's file.
  public static let passphraseMethod = "SFTPAuthenticationMethodPassphrase"

  /// The method of challenges for a server's questions by keyboard-interactive (RFC 4256); their realm is the question. The credential's
  /// password is the answer.
  public static let interactiveMethod = "SFTPAuthenticationMethodKeyboardInteractive"

  private struct State {
    var hasResponded = false
    /// A connection was lost after bytes were received or sent.
    var hasBegun = false
    /// The remark of the last operation whose connection was lost.
    var remark = ""
    var load: Int?
    var operation: RemoteOperation?
    var isStopped = false
    /// Connections in a row that were lost without a byte.
    var fruitlessCount = 0
    var metrics: URLSessionTaskTransactionMetrics?
    var receivedCount: Int64 = 0
    var sentCount: Int64 = 0
    /// The record of an upload, which may leave a file on the server.
    var uploading: (record: UnfinishedUploads, mark: UnfinishedUploads.Mark)?
  }

  /// Connections in a row that may be lost without a byte before the load fails.
  private static let largestFruitlessCount = 3

  private let state = Locked(State())

  /// Whether the URL's scheme is `sftp`.
  open override class func canInit(with request: URLRequest) -> Bool {
    request.url?.scheme?.lowercased() == "sftp"
  }

  /// Made once: every load reads it.
  private static let declared: Capabilities = [
    .byteRanges, .upload, .listing, .resourceInfo, .nonblocking, .connectivity, .background, .retries,
    .schemes("sftp"), .acceptedHTTPMethods("GET", "HEAD", "PUT", "DELETE", "MKCOL", "MOVE", "COPY"),
  ]

  /// Byte ranges, uploads, listing, descriptions, connectivity and retries; the scheme `sftp`, and the methods `GET`, `HEAD`, `PUT`,
  /// `DELETE`, `MKCOL`, `MOVE` and `COPY`.
  public final override class var capabilities: Capabilities { declared }

  private var sessionClient: (any URLProtocolSessionClient)? { client as? any URLProtocolSessionClient }

  /// The connections of the load's session.
  func pool(of session: URLSession) -> SFTPPool { session.component(SFTPPool.self) }

  private var pool: SFTPPool? { (sessionClient?.session).map { pool(of: $0) } }

  // MARK: What sessions call

  /// Begins to load.
  public final override func startLoading() {
    guard let url = request.url else { return }
    if let error = URLError.unvalidatedName(of: request) {
      client?.urlProtocol(self, didFailWithError: error)
      return
    }
    sessionClient?.gate.observe { [weak self] _ in self?.followGate() }
    if sessionClient?.urlProtocolDemand(self).wantsMetrics == true {
      let metrics = URLSessionTaskTransactionMetrics(request: request)
      metrics.fetchStartDate = Date()
      metrics.resourceFetchType = .networkLoad
      state.withLock { $0.metrics = metrics }
    }
    do throws(URLError) {
      let place = try ServerPlace(of: url)
      connect(place, try operation(url, RemotePath(of: url)))
    } catch {
      client?.urlProtocol(self, didFailWithError: error)
    }
  }

  /// Ends the load; what it opened on the server is closed.
  public final override func stopLoading() {
    let (load, operation, uploading) = state.withLock { state in
      state.isStopped = true
      defer {
        state.uploading = nil
        state.load = nil
        state.operation = nil
      }
      return (state.load, state.operation, state.uploading)
    }
    // The operation records files to remove itself, on the connection's thread.
    if let operation {
      operation.server.perform {
        operation.stop()
        if let uploading { uploading.record.end(uploading.mark) }
      }
    } else if let uploading {
      uploading.record.end(uploading.mark)
    }
    if let load { pool?.release(load) }
  }

  private var isPaused: Bool { sessionClient?.gate.isOpen == false }

  /// Asks the server for nothing more while the gate is closed.
  private func followGate() {
    guard let operation = state.withLock({ $0.operation }) else { return }
    operation.server.perform { [self] in operation.pause(isPaused) }
  }

  // MARK: Connecting

  private func operation(_ url: URL, _ path: RemotePath) throws(URLError) -> RemoteOperation.Make {
    let demand = sessionClient?.urlProtocolDemand(self) ?? URLProtocolDemand()
    if demand.wantsEntries { return { RemoteListing(url: url, path: path, server: $0, report: $1) } }
    if demand.wantsInfo { return { RemoteInfo(url: url, path: path, server: $0, report: $1) } }
    if let body = sessionClient?.urlProtocolUploadBody(self) {
      let replaces = try ChangeConditions.replaces(request)
      let reader = UploadBodyReader(body)
      let record = sessionClient?.session.component(UnfinishedUploads.self)
      let (modified, permissions) = (modificationTime, demand.storedPermissions.map { UInt32($0) })
      state.withLock { $0.uploading = record.map { ($0, $0.begin(nil)) } }
      return {
        RemoteUpload(
          url: url, path: path, replaces: replaces, modified: modified, permissions: permissions,
          content: .body(reader), uploads: record, server: $0, report: $1)
      }
    }
    switch request.httpMethod {
    case "DELETE":
      _ = try ChangeConditions.replaces(request)
      return { RemoteDeletion(url: url, path: path, server: $0, report: $1) }
    case "MKCOL":
      _ = try ChangeConditions.replaces(request)
      let permissions = demand.storedPermissions.map { UInt32($0) }
      return { RemoteDirectory(url: url, path: path, permissions: permissions, server: $0, report: $1) }
    case "COPY":
      let (target, replaces) = (try target(url), try ChangeConditions.replaces(request))
      let uploads = sessionClient?.session.component(UnfinishedUploads.self)
      return {
        RemoteCopy(
          url: url, path: path, to: target.url, target.path, replaces: replaces, uploads: uploads, server: $0,
          report: $1)
      }
    case "MOVE":
      let (target, replaces) = (try target(url).path, try ChangeConditions.replaces(request))
      let uploads = sessionClient?.session.component(UnfinishedUploads.self)
      return {
        RemoteMove(url: url, path: path, to: target, replaces: replaces, uploads: uploads, server: $0, report: $1)
      }
    default: return { [request] in RemoteDownload(request, url: url, path: path, server: $0, report: $1) }
    }
  }

  /// A representation comes with its metadata (RFC 9110, section 9.3.4): the date of what is stored is the file's.
  private var modificationTime: UInt32? {
    request.value(forHTTPHeaderField: "Last-Modified")
      .flatMap { HTTPDate.date(from: $0, now: Date()) }
      .flatMap { UInt32(exactly: $0.timeIntervalSince1970.rounded(.down)) }
  }

  /// Where something is moved or copied to (RFC 4918, section 10.3): a URL of the same server.
  private func target(_ url: URL) throws(URLError) -> (url: URL, path: RemotePath) {
    let method = request.httpMethod ?? ""
    guard let text = request.value(forHTTPHeaderField: "Destination"), let target = URL(string: text),
      target.scheme?.lowercased() == url.scheme?.lowercased()
    else {
      throw URLError(
        .badURL,
        message: "\(method) needs an SFTP URL of the same server in the field Destination (RFC 4918, section 10.3).",
        url: url)
    }
    let (own, other) = (try ServerPlace(of: url), try ServerPlace(of: target))
    guard own.host == other.host, own.port == other.port, other.user == nil || other.user == own.user else {
      throw URLError(
        .unsupportedURL,
        message: "\(method) takes a URL of the same server as its Destination, not \(target.redactedDescription).",
        url: url)
    }
    return (target, try RemotePath(of: target))
  }

  private func connect(_ place: ServerPlace, _ make: @escaping RemoteOperation.Make) {
    guard let pool else { return }
    state.withLock { $0.metrics }?.connectStartDate = Date()
    pool.acquire(
      place, for: self,
      number: { number in
        let isStopped = state.withLock { state in
          if !state.isStopped { state.load = number }
          return state.isStopped
        }
        if isStopped { pool.release(number) }
      }
    ) { [self] grant in
      switch grant {
      case .success(let connection): begin(connection, place, make)
      case .failure(let failure): fail(connecting: failure)
      }
    }
  }

  private func begin(_ connection: SFTPPool.Connection, _ place: ServerPlace, _ make: @escaping RemoteOperation.Make) {
    record(connection)
    let server = connection.server
    server.perform { [self] in
      let operation = make(server) { [self] event in report(event, place, make) }
      let isStopped = state.withLock { state in
        if !state.isStopped { state.operation = operation }
        return state.isStopped
      }
      guard !isStopped else { return }
      if isPaused { operation.pause(true) }
      operation.start()
    }
  }

  // MARK: What operations report

  private func report(_ event: OperationEvent, _ place: ServerPlace, _ make: @escaping RemoteOperation.Make) {
    switch event {
    case .waits: sessionClient?.urlProtocol(self, isWaiting: true)
    case .began: sessionClient?.urlProtocol(self, isWaiting: false)
    case .responded(let response):
      let metrics = state.withLock { state in
        state.hasResponded = true
        return state.metrics
      }
      metrics?.responseStartDate = Date()
      metrics?.response = response
      if let metrics, sessionClient?.urlProtocolDemand(self).wantsConnectionMetrics == true {
        sessionClient?.urlProtocol(self, didCollect: metrics)
      }
      client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
    case .bytes(let bytes):
      state.withLock { state in
        state.receivedCount += Int64(bytes.count)
        state.fruitlessCount = 0
      }
      sessionClient?.urlProtocol(self, didLoad: bytes)
    case .entries(let entries): sessionClient?.urlProtocol(self, didList: entries)
    case .sent(let count):
      state.withLock { $0.sentCount = count }
      sessionClient?.urlProtocol(self, didSendBodyData: count)
    case .finished:
      finishMetrics()
      client?.urlProtocolDidFinishLoading(self)
    case .failed(let error):
      finishMetrics()
      client?.urlProtocol(self, didFailWithError: error)
    case .lost(let failure, let remark, let retry):
      state.withLock { $0.remark = remark }
      lost(failure, place, retry ?? make)
    }
  }

  private func lost(_ failure: SFTPFailure, _ place: ServerPlace, _ retry: @escaping RemoteOperation.Make) {
    let (load, isStopped, count) = state.withLock { state in
      state.fruitlessCount += 1
      state.hasBegun = state.hasBegun || state.hasResponded || state.sentCount > 0
      defer {
        state.load = nil
        state.operation = nil
      }
      return (state.load, state.isStopped, state.fruitlessCount)
    }
    if let load { pool?.release(load) }
    guard !isStopped else { return }
    guard count < Self.largestFruitlessCount else { return fail(connecting: failure) }
    sessionClient?.urlProtocol(self, willRetryAfter: failure)
    connect(place, retry)
  }

  private func fail(connecting failure: SFTPFailure) {
    guard let url = request.url else { return }
    var failures = RemoteFailures(url: url)
    let hasBegun = state.withLock { state in
      failures.remark = state.remark
      return state.hasBegun
    }
    finishMetrics()
    client?.urlProtocol(self, didFailWithError: failures.unreachable(failure, hasBegun: hasBegun))
  }

  // MARK: Metrics

  private func record(_ connection: SFTPPool.Connection) {
    guard let metrics = state.withLock({ $0.metrics }) else { return }
    let measured = connection.metrics
    metrics.isReusedConnection = connection.isReused
    if connection.isReused {
      metrics.connectStartDate = nil
      metrics.connectEndDate = nil
    } else {
      metrics.domainLookupStartDate = measured.lookupStart
      metrics.domainLookupEndDate = measured.lookupEnd
      metrics.connectStartDate = measured.lookupEnd ?? measured.start ?? metrics.connectStartDate
      metrics.secureConnectionStartDate = measured.connected
      metrics.secureConnectionEndDate = measured.keysExchanged
      metrics.connectEndDate = measured.opened ?? Date()
    }
    metrics.localAddress = measured.localAddress
    metrics.localPort = measured.localPort.map(String.init)
    metrics.remoteAddress = measured.address
    metrics.remotePort = measured.port.map(String.init)
    metrics.networkProtocolName = measured.protocolName
    metrics.requestStartDate = Date()
  }

  private func finishMetrics() {
    let (metrics, received, sent) = state.withLock { state in
      defer { state.metrics = nil }
      return (state.metrics, state.receivedCount, state.sentCount)
    }
    guard let metrics else { return }
    metrics.responseEndDate = Date()
    metrics.countOfResponseBodyBytesReceived = received
    metrics.countOfResponseBodyBytesAfterDecoding = received
    metrics.countOfRequestBodyBytesSent = sent
    metrics.countOfRequestBodyBytesBeforeEncoding = sent
    sessionClient?.urlProtocol(self, didCollect: metrics)
  }
}

// MARK: Questions

extension SFTPProtocol: ConnectionWaiter {
  func ask(_ challenge: @escaping ConnectionQuestions.Challenge) async -> ConnectionAnswer {
    let answering = ChallengeAnswer()
    await withUnsafeContinuation { continuation in
      answering.wait(with: continuation)
      // After its response a load asks nothing: a new connection uses earlier answers.
      guard !state.withLock({ $0.hasResponded }) else { return answering.answer(.refused) }
      sessionClient?.gate.whenEnded { answering.answer(.gone) }
      client?.urlProtocol(self, didReceive: challenge(answering))
    }
    return answering.given ?? .gone
  }
}
