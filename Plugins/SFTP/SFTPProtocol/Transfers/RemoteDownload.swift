import URLLoading
internal import URLLoadingBase

/// Loads a file, or a range of it.
///
/// The file's attributes are loaded before it is opened, since a server that opens a pipe blocks the whole connection; and again at the
/// end, to notice a change, where the server has that request. A file that fits into one reply needs no second look: the reply is a
/// snapshot.
// Safe to share: see `RemoteOperation`.
final class RemoteDownload: RemoteOperation, @unchecked Sendable {
  /// How far an earlier connection got.
  private struct Progress {
    let version: FileVersion
    let position: UInt64
    let end: UInt64
  }

  /// Bytes a request: 128 KiB, beyond which a download of 1 GB gets no faster.
  private static let requestCount = 128 << 10

  private let request: URLRequest
  private let earlier: Progress?

  private var version = FileVersion(FileAttributes())
  private var permissions: UInt16?
  private var readAhead: ReadAhead?
  private var end: UInt64 = 0
  /// One request asks for the whole file and a byte more, which shows whether it grew.
  private var takesOneRequest = false
  private var isPaused = false
  /// Of a file of unknown length: where to continue after a pause.
  private var pausedRead: UInt64?
  private var check = Check.notAsked

  private enum Check {
    case notAsked, asked
    /// Parts were requested after the check, which has to be repeated.
    case outdated
    case passed
  }

  convenience init(
    _ request: URLRequest, url: URL, path: RemotePath, server: RemoteServer, report: @escaping Report
  ) {
    self.init(request, url, path, nil, server, report)
  }

  private init(
    _ request: URLRequest, _ url: URL, _ path: RemotePath, _ earlier: Progress?, _ server: RemoteServer,
    _ report: @escaping Report
  ) {
    self.request = request
    self.earlier = earlier
    super.init(url: url, path: path, server: server, report: report)
  }

  override func start() {
    client.stat(path.bytes) { [self] result in
      guard !isOver else { return }
      switch result {
      case .success(let attributes): found(attributes)
      case .failure(let failure) where failure.status == .unsupported: found(FileAttributes())
      case .failure(let failure): end(failures.refused("load", failure), failure)
      }
    }
  }

  override func pause(_ pauses: Bool) {
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

  // MARK: The file

  private func found(_ attributes: FileAttributes) {
    switch attributes.kind {
    case .directory: return end(failures.directory("load"))
    case .other: return end(failures.special("load"))
    case .symbolicLink, .regular, .unknown: break
    }
    guard !path.namesDirectory else { return end(failures.notADirectory("load")) }
    version = FileVersion(attributes)
    permissions = attributes.permissions.map { UInt16($0 & 0o7777) }
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
    // Files below /proc have contents, and a size of 0.
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
          validators: isWhole ? version.validators : ResourceValidators(), acceptsByteRanges: isWhole,
          permissions: permissions)))
  }

  /// - Parameter range: nil where the length is unknown.
  private func open(length: Int64?, _ range: Range<UInt64>?, _ contentRange: ContentRange?) {
    client.open(path.bytes, .read, willSend: willOpen()) { [self] result in
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

  // MARK: Reading a known length

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
      // The check that was sent is older than these bytes.
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

  /// One piece a turn of the thread, so that a pause takes effect before the next.
  private func handOnKept() {
    guard !isOver, let kept = readAhead?.takeKept() else { return }
    kept.withUnsafeBytes { report(.bytes($0)) }
    ask()
    finishIfComplete()
    guard !isOver else { return }
    server.perform { [self] in handOnKept() }
  }

  // MARK: Reading an unknown length

  /// Reads one piece after another until the end of the file.
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

  /// Sent after the last reads: a server that works in order has done those when it looks.
  private func askForChanges() {
    guard let handle else { return }
    check = .asked
    client.fstat(handle) { [self] result in
      guard !isOver else { return }
      switch result {
      case .failure(let failure) where failure.status == nil: return end(failures.broken(failure), failure)
      // The attributes of an open file are not what is loaded: a server without them has its files read, as by OpenSSH's client.
      case .failure: check = .passed
      case .success(let attributes):
        if let change = version.change(to: FileVersion(ofOpenFile: attributes)) { return end(failures.broken(change)) }
        if check == .asked { check = .passed }
      }
      finishIfComplete()
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

  private func end(_ error: URLError, _ failure: SFTPFailure? = nil) {
    let position = readAhead?.position
    let hasBegun = handle != nil
    stop()
    let progress = position.map { Progress(version: version, position: $0, end: end) } ?? earlier
    // A file of unknown length cannot be continued.
    guard let failure, failure.isRepeatable, progress != nil || !hasBegun else { return report(.failed(error)) }
    report(
      .lost(
        failure,
        retry: { [request, url = failures.url, path] server, report in
          RemoteDownload(request, url, path, progress, server, report)
        }))
  }
}
