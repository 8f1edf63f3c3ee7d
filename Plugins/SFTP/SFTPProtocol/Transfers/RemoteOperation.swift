import URLLoading

/// Work on a server for one load. All of it happens on the connection's thread.
///
/// Mutable state: all stored properties, those of subclasses included, confined to the connection's thread.
// Safe to share: the state is touched on the connection's thread only.
class RemoteOperation: @unchecked Sendable {
  typealias Report = @Sendable (OperationEvent) -> Void
  typealias Make = @Sendable (RemoteServer, @escaping Report) -> RemoteOperation

  let server: RemoteServer
  let report: Report
  let path: RemotePath
  var failures: RemoteFailures
  /// The file or directory that is open for reading.
  var handle: RemoteHandle?
  /// Nothing is reported any more.
  var isOver = false

  init(url: URL, path: RemotePath, server: RemoteServer, report: @escaping Report) {
    failures = RemoteFailures(url: url)
    self.path = path
    self.server = server
    self.report = report
  }

  final var client: SFTPClient { server.client }

  /// Begins; once.
  func start() {}

  /// Stops or continues to ask the server for more.
  func pause(_ pauses: Bool) {}

  /// Ends without a report, and closes what is open.
  func stop() {
    isOver = true
    closeHandle()
  }

  final func finish() {
    stop()
    report(.finished)
  }

  /// Reports whether the next file to be opened has to wait for others.
  /// - Returns: reports that it does not wait any more; false where it is not wanted any more.
  final func willOpen() -> () -> Bool {
    if !client.canOpen { report(.waits) }
    return { [self] in
      if !isOver { report(.began) }
      return !isOver
    }
  }

  /// Ends with an error.
  /// - Parameter failure: what was behind it; where nothing was sent, the load may have another connection.
  final func fail(_ error: URLError, _ failure: SFTPFailure? = nil) {
    stop()
    // A request that was sent may have been carried out: a second one would fail, or change what was made since.
    if let failure, case .connectionLost(_, wasSent: false) = failure { return report(.lost(failure)) }
    report(.failed(error))
  }

  final func closeHandle() {
    guard let open = handle else { return }
    handle = nil
    client.close(open)
  }

  /// Reports a response without a type or validators.
  /// - Parameter length: -1 where it is not known.
  final func respond(length: Int) {
    report(
      .responded(URLResponse(url: failures.url, mimeType: nil, expectedContentLength: length, textEncodingName: nil)))
  }
}
