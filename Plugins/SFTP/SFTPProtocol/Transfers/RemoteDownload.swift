import URLLoading
internal import URLLoadingBase

/// Loads a file, or a range of it.
///
/// It is asked what the file is before it is opened: a server that opens a pipe would wait for the pipe's other end, and everybody
/// who shares the connection with it. At the end it is asked again, to notice a file that changed meanwhile; but for a small one,
/// which one answer holds: what that has is what the file was at one time.
///
/// Mutable state: all stored properties, confined to the connection's thread.
// Safe to share: the state is touched on the connection's thread only.
final class RemoteDownload: RemoteOperation, @unchecked Sendable {
  /// How far an earlier connection got.
  private struct Progress {
    let version: FileVersion
    let position: UInt64
    let end: UInt64
  }

  /// Bytes that one request asks for: more than this does not make it faster.
  private static let requestCount = 128 << 10

  private var client: SFTPClient { server.client }
  private let server: RemoteServer
  private let report: Report
  private let request: URLRequest
  private let path: RemotePath
  private let failures: RemoteFailures
  private let earlier: Progress?

  private var handle: RemoteHandle?
  private var version = FileVersion(FileAttributes())
  private var readAhead: ReadAhead?
  private var end: UInt64 = 0
  /// The only request is for all of the file, and for a byte after its end, which shows whether it grew.
  private var takesOneRequest = false
  private var isPaused = false
  private var isOver = false
  /// Of a file whose length nobody tells: what waits for the end of a pause.
  private var pausedRead: UInt64?
  private var check = Check.notAsked

  private enum Check {
    case notAsked, asked
    /// Parts were asked for again after the question, which has to be asked once more.
    case outdated
    case passed
  }

  convenience init(
    _ request: URLRequest, url: URL, path: RemotePath, server: RemoteServer, report: @escaping Report
  ) {
    self.init(request, path, RemoteFailures(url: url), nil, server, report)
  }

  private init(
    _ request: URLRequest, _ path: RemotePath, _ failures: RemoteFailures, _ earlier: Progress?, _ server: RemoteServer,
    _ report: @escaping Report
  ) {
    self.request = request
    self.path = path
    self.failures = failures
    self.earlier = earlier
    self.server = server
    self.report = report
  }

  // MARK: From outside

  func start() {
    client.stat(path.bytes) { [self] result in
      guard !isOver else { return }
      switch result {
      case .success(let attributes): found(attributes)
      case .failure(let failure): end(failures.refused("load", failure), failure)
      }
    }
  }

  func pause(_ pauses: Bool) {
    isPaused = pauses
    readAhead?.pause(pauses)
    guard !pauses, !isOver else { return }
    handOnKept()
    if let offset = pausedRead {
      pausedRead = nil
      readOn(from: offset)
    }
    ask()
  }

  func stop() {
    isOver = true
    closeHandle()
  }

  // MARK: What it is

  private func found(_ attributes: FileAttributes) {
    switch attributes.kind {
    case .directory: return end(failures.directory("load"))
    case .other: return end(failures.special("load"))
    case .symbolicLink, .regular, .unknown: break
    }
    guard !path.namesDirectory else {
      return end(
        failures.error(
          .fileDoesNotExist,
          "Cannot load \(failures.name): the slash at its end says that it is a directory, but it is a file.")
      )
    }
    version = FileVersion(attributes)
    if let earlier {
      if let change = earlier.version.change(to: version) { return end(failures.broken(change)) }
      return open(length: nil, earlier.position..<earlier.end, nil)
    }
    guard let size = attributes.size, let length = Int64(exactly: size) else {
      guard request.httpMethod != "HEAD" else {
        respond(length: -1, nil)
        return finish()
      }
      return open(length: nil, nil, nil)
    }
    let selection = request.byteRange(ofLength: length, validators: version.validators)
    guard let (bytes, contentRange) = selection.bytes(ofLength: length) else {
      return end(.unsatisfiableRange(of: request, length: length))
    }
    guard request.httpMethod != "HEAD" else {
      respond(length: length, nil)
      return finish()
    }
    // Some files of no size have contents all the same, such as those below /proc.
    let isOpenEnded = length == 0 && contentRange == nil
    open(
      length: Int64(bytes.count), isOpenEnded ? nil : UInt64(bytes.lowerBound)..<UInt64(bytes.upperBound), contentRange)
  }

  private func respond(length: Int64, _ contentRange: ContentRange?) {
    let isWhole = length >= 0
    report(
      .responded(
        URLResponse(
          url: failures.url,
          mimeType: MIMETypes.type(forFileName: failures.url.lastPathComponent) ?? "application/octet-stream",
          expectedContentLength: length, textEncodingName: nil, contentRange: contentRange,
          validators: isWhole ? version.validators : ResourceValidators(), acceptsByteRanges: isWhole)))
  }

  /// - Parameter range: nil where the length is unknown.
  private func open(length: Int64?, _ range: Range<UInt64>?, _ contentRange: ContentRange?) {
    if !client.canOpen { report(.waits) }
    client.open(
      path.bytes, .read,
      willSend: { [self] in
        if !isOver { report(.began) }
        return !isOver
      }
    ) { [self] result in
      switch result {
      case .failure(let failure): if !isOver { end(failures.refused("load", failure), failure) }
      case .success(let opened):
        handle = opened
        guard !isOver else { return closeHandle() }
        guard let range else { return readOn(from: 0) }
        if let length { respond(length: length, contentRange) }
        end = range.upperBound
        let requestCount = min(client.largestRead, Self.requestCount)
        takesOneRequest = range.lowerBound == 0 && end == version.size && end < requestCount
        var plan = ReadAhead(range, requestCount: requestCount)
        plan.pause(isPaused)
        readAhead = plan
        ask()
        finishIfComplete()
      }
    }
  }

  // MARK: Reading what has a length

  private func ask() {
    guard !isOver else { return }
    while let part = readAhead?.next(at: .now) { ask(part) }
    if readAhead?.isAsked == true, check == .notAsked, !takesOneRequest { askForChanges() }
  }

  private func ask(_ part: ReadAhead.Request) {
    guard let handle else { return }
    var missingCount = part.count
    client.read(handle, offset: part.offset, count: part.count + (takesOneRequest ? 1 : 0)) { [self] event in
      guard !isOver else { return }
      switch event {
      case .bytes(let bytes):
        missingCount -= bytes.count
        guard missingCount >= 0 else { return end(failures.broken("it grew while it was read")) }
        if readAhead?.received(bytes, of: part.part, at: .now) == true { report(.bytes(bytes)) }
      case .end:
        partEnded(part.part)
      case .failed(let failure):
        let shrank = failure.status == .endOfFile
        end(shrank ? failures.broken("it shrank while it was read", failure) : failures.broken(failure), failure)
      }
    }
  }

  private func partEnded(_ part: Int) {
    switch readAhead?.ended(part) {
    case .askAgain(let rest):
      takesOneRequest = false
      if check == .asked { check = .outdated }
      ask(rest)
    case .fail: return end(failures.broken("the server answered a read with no bytes"))
    case .nothing where takesOneRequest: check = .passed
    case .nothing, nil: break
    }
    handOnKept()
    ask()
    finishIfComplete()
  }

  /// Piece by piece: a pause that the consumer has asked for comes before the next.
  private func handOnKept() {
    guard !isOver, let kept = readAhead?.takeKept() else { return }
    kept.withUnsafeBytes { report(.bytes($0)) }
    ask()
    finishIfComplete()
    guard !isOver else { return }
    server.perform { [self] in handOnKept() }
  }

  // MARK: Reading what has none

  /// One piece after another until the server says that it was the last.
  private func readOn(from offset: UInt64) {
    guard let handle, !isOver else { return }
    guard !isPaused else {
      pausedRead = offset
      return
    }
    var position = offset
    client.read(handle, offset: offset, count: client.largestRead) { [self] event in
      guard !isOver else { return }
      switch event {
      case .bytes(let bytes):
        if position == 0 { respond(length: -1, nil) }
        position += UInt64(bytes.count)
        report(.bytes(bytes))
      case .end where position == offset: end(failures.broken("the server answered a read with no bytes"))
      case .end: readOn(from: position)
      case .failed(let failure) where failure.status == .endOfFile:
        if offset == 0 { respond(length: 0, nil) }
        finish()
      case .failed(let failure): end(failures.broken(failure), failure)
      }
    }
  }

  // MARK: The end

  /// Goes out behind the last reads, so that a server that works in order has done those when it looks.
  private func askForChanges() {
    guard let handle else { return }
    check = .asked
    client.fstat(handle) { [self] result in
      guard !isOver else { return }
      switch result {
      case .failure(let failure): end(failures.broken(failure), failure)
      case .success(let attributes):
        if let change = version.change(to: FileVersion(attributes)) { return end(failures.broken(change)) }
        if check == .asked { check = .passed }
        finishIfComplete()
      }
    }
  }

  private func finishIfComplete() {
    guard !isOver, readAhead?.isComplete == true else { return }
    switch check {
    case .notAsked, .outdated: askForChanges()
    case .asked: break
    case .passed: finish()
    }
  }

  private func finish() {
    stop()
    report(.finished)
  }

  private func end(_ error: URLError, _ failure: SFTPFailure? = nil) {
    let position = readAhead?.position
    let hasBegun = handle != nil
    stop()
    guard case .connectionLost(let reason, _)? = failure, !(reason is WireViolation) else {
      return report(.failed(error))
    }
    let progress = position.map { Progress(version: version, position: $0, end: end) } ?? earlier
    // What has no length cannot be gone on with once its beginning was handed on.
    guard progress != nil || !hasBegun else { return report(.failed(error)) }
    report(
      .lost(
        failure ?? .connectionLost(reason: nil, wasSent: true),
        retry: { [request, path, failures] server, report in
          RemoteDownload(request, path, failures, progress, server, report)
        }))
  }

  private func closeHandle() {
    guard let open = handle else { return }
    handle = nil
    client.close(open)
  }
}
