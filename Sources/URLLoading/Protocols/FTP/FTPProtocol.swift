internal import URLLoadingBase
internal import URLLoadingCurlTransport

/// Loads `ftp` URLs, and `ftps` ones over explicit TLS (RFC 4217).
///
/// A request for a range first asks for size and date, which decide what is loaded. Where the server does not tell the size, a range with
/// both ends is loaded without it, and for another the size is looked up in a listing of the folder; where that does not help, the whole
/// comes. A directory is listed by MLSD, and where the server does not know that by LIST.
///
/// The size that a server tells (SIZE, RFC 3659) is a claim, which is what ``URLResponse/expectedContentLength`` says. A file ends
/// where the server ends the data connection and says that the transfer is complete; fewer bytes than the claim fail the load. Where the
/// data connection of an `ftps` server, or that to an `https` proxy, ends without close_notify, the claim counts instead: the file is complete
/// with as many bytes, unless the server has called the transfer broken by then.
/// What cannot be seen is that a file is longer than claimed when a range is asked for that ends before the claimed end, or at an end that a
/// listing told.
///
/// The servers of TLS connections are judged as those of `https` are. One is new for each transfer, and for its data another, which has to
/// show the same certificates or to resume the TLS session of the first.
///
/// `DELETE` removes a file or an empty directory, `MKCOL` makes a directory, and `MOVE` renames either on its server, within a transfer that
/// loads nothing; see `FTPChangeSteps`. A move looks for its target first: a directory there stays, and with `Overwrite: F` a file, too. Others
/// may create one between that and the renaming, which servers may then replace. Where a server tells neither sizes nor dates, a move that
/// replaces nothing is refused; the same goes for an upload with `If-None-Match: *`. What was begun is never begun again: with a lost connection the load fails, and the error says where nothing
/// tells whether the server has done its work.
///
/// A server that does not answer SIZE or MDTM within 2 s is loaded from anew, and not asked again in the session. The same goes for a
/// listing that is to tell a size, and that stands still for 2 s while the load is not suspended.
///
/// Mutable state: `state`, guarded by its lock.
// Safe to share: the mutable state is guarded as said above.
final class FTPProtocol: URLProtocol, @unchecked Sendable {
  /// What the running transfer is for.
  enum Stage {
    /// Size and date of the resource, for a request with a range.
    case probe
    /// The size of the resource, in a listing of its folder.
    case lookup(FTPListing.Format)
    /// Whether the resource ends where the listing says.
    case confirmation(ofLength: Int64)
    /// The body.
    case body(ContentRange?)
    /// Whether what could not be had as a file, for the reason given, is a directory: servers have one reply for both.
    case directory(TransferFailure)
    /// The entries of a directory.
    case listing(FTPListing.Format)
    /// Whether what could not be listed, for the reason given, is a file.
    case file(TransferFailure)
    /// What the request changes.
    case change(FTPChange)
  }

  struct State {
    var transfer: Transfer?
    var starts = 0
    var stage = Stage.body(nil)
    var credential: TransferCredential?
    /// What was answered about connections.
    var answers: CurlSession.Answers?
    var proxies = ProxyAttempt()
    var failedCredentials = 0
    var refusal: TransferFailure?
    var probed: TransferHead?
    /// What the range was chosen by.
    var chosenBy: TransferHead?
    /// A transfer that was abandoned for another; its completion may be pending.
    var abandoned: Transfer?
    /// How often the file had changed between the choice of the range and its transfer.
    var changes = 0
    /// While a directory is being listed.
    var listing: FTPListing?
    /// While a size is being looked up.
    var lookup: FTPSizeLookup?
    var isStopped = false
    var upload: Upload?
    /// What the request changes, or looks for ahead of an upload; nil where it loads or stores.
    var change: FTPChange?
  }

  /// The record of an upload: a server writes under the final name, so that a failed upload leaves a partial file.
  struct Upload {
    let source: BodySource
    let record: UnfinishedUploads
    let mark: UnfinishedUploads.Mark
    var hasSent = false
    var isUnderWay = false

    /// The upload has failed.
    func fail() {
      // A server that agrees to store is what the first byte is asked for after.
      if hasSent || source.hasBegun { record.giveUp(mark) } else { record.end(mark) }
    }

    /// The upload is broken off. A server that was asked to store has emptied the file, whether or not its answer has come.
    func breakOff() {
      if isUnderWay { record.giveUp(mark) } else { record.end(mark) }
    }
  }

  let state = Locked(State())

  override class func canInit(with request: URLRequest) -> Bool {
    guard let scheme = request.url?.scheme?.lowercased() else { return false }
    return scheme == "ftp" || scheme == "ftps"
  }

  /// Made once: every load reads it.
  private static let declared: Capabilities = [
    .byteRanges, .upload, .listing, .nonblocking, .connectivity, .background, .retries,
    .schemes("ftp", "ftps"), .acceptedHTTPMethods("GET", "HEAD", "PUT", "DELETE", "MKCOL", "MOVE"),
  ]

  override class var capabilities: Capabilities { declared }

  override func startLoading() {
    guard let url = request.url, let host = url.host(percentEncoded: true), !host.isEmpty else {
      return fail(URLError(.badURL, message: "The FTP URL has no host.", url: request.url))
    }
    if let error = URLError.unvalidatedName(of: request) { return fail(error) }
    let path = url.path(percentEncoded: true)
    let change: FTPChange?
    do throws(URLError) { change = try FTPChange(request) } catch { return fail(error) }
    let loadsOrStores = change == nil || change?.verb == .findNothing
    if loadsOrStores, !wantsEntries, path.hasSuffix("/") || path.isEmpty {
      return fail(URLError(.fileIsDirectory, message: "\(url.redactedDescription) names a directory.", url: url))
    }
    if let user = url.user(percentEncoded: false) {
      let password = url.password(percentEncoded: false) ?? ""
      state.withLock { $0.credential = TransferCredential(user: user, password: password, schemes: .basic) }
    }
    state.withLock { $0.change = change }
    sessionClient?.gate.observe { [weak self] isOpen in
      let transfer = self?.state.withLock { $0.transfer }
      if isOpen { transfer?.resume() } else { transfer?.pause() }
    }
    begin()
  }

  func fail(_ error: URLError) { client?.urlProtocol(self, didFailWithError: error) }

  /// Whether a directory is to be listed.
  var wantsEntries: Bool { sessionClient?.urlProtocolDemand(self).wantsEntries == true }

  override func stopLoading() {
    let (transfer, upload) = state.withLock { state in
      state.isStopped = true
      defer {
        state.transfer = nil
        state.upload = nil
      }
      return (state.transfer, state.upload)
    }
    transfer?.cancel()
    upload?.breakOff()
  }

  /// Starts the first transfer, or starts again with another credential.
  func begin() {
    guard !wantsEntries else { return start(.listing(.facts)) }
    if let change = state.withLock({ $0.change }) { return start(.change(change)) }
    let body = sessionClient?.urlProtocolUploadBody(self)
    // Positions in a file that is sent as text are not those of what comes.
    let isRanged =
      body == nil && request.value(forHTTPHeaderField: "Range") != nil
      && request.url.map { FTPPath(url: $0.absoluteString).isText } != true
    start(isRanged ? .probe : .body(nil), body: body)
  }

  func start(_ stage: Stage, body: URLUploadBody? = nil) {
    guard let url = request.url, let sessionClient else { return }
    let session = sessionClient.session
    let questions = session.component(FTPServerMemory.self).questions(for: url)
    let serverTellsLength = state.withLock { $0.chosenBy.flatMap { $0.resourceLength ?? $0.contentLength } != nil }
    switch stage {
    // Without a size there is no range to be chosen, and nothing else that tells a file.
    case .probe where !questions.contains(.size): return start(stageWithoutLength)
    case .file(let failure) where !questions.contains(.size): return tell(failure)
    case .lookup where !questions.contains(.listing): return start(.body(nil))
    default: break
    }
    let connections = session.component(CurlSession.self)
    guard resolvesRoute(with: connections.proxies, otherwise: { self.start(stage, body: body) }) else { return }
    var transferRequest = TransferRequest(url: Self.transferURL(url, for: stage), kind: .ftp, method: "GET")
    transferRequest.typeOfService = connections.typeOfService
    transferRequest.ftpTLS = url.scheme?.lowercased() == "ftps" ? .explicit : .none
    transferRequest.ftpQuestions = questions.intersection(.ofFile)
    switch stage {
    case .probe: transferRequest.method = "HEAD"
    case .lookup(let format):
      transferRequest.method = format.command
      transferRequest.ftpQuestions = .listing
      transferRequest.ftpTimeLimit = lookupLimit(in: session)
    case .confirmation(let length):
      transferRequest.range = "\(length - 1)-\(length - 1)"
      transferRequest.rangeReachesEnd = true
      transferRequest.ftpQuestions = []
      transferRequest.ftpTimeLimit = lookupLimit(in: session)
    case .body(let range):
      transferRequest.range = range.map { "\($0.firstByte)-\($0.lastByte)" }
      // Where a listing told the size, the file may have grown since: the part ends at its last byte all the same.
      transferRequest.rangeReachesEnd =
        serverTellsLength && range.map { $0.completeLength == $0.lastByte + 1 } ?? false
      // That asks the size. Where the server does not answer, the beginning of the body shows that there is one.
      if isHead, questions.contains(.size) { transferRequest.method = "HEAD" }
    case .directory, .file: transferRequest.method = "HEAD"
    case .listing(let format): transferRequest.method = format.command
    case .change(let change):
      transferRequest.method = "HEAD"
      transferRequest.ftpChange = change
    }
    let source = body.map { BodySource($0) }
    if let source {
      transferRequest.method = "PUT"
      transferRequest.body = source.transferBody
    }
    let record = source.map { _ in session.component(UnfinishedUploads.self) }
    if let route { transferRequest.take(route) }
    transferRequest.proxyCredential = withProxies { $0.credential }
    let (evaluator, requirements) = (sessionClient.urlProtocolDemand(self).connectionJudge, transportRequirements)
    if evaluator != nil || requirements != nil {
      transferRequest.security = connections.security(
        for: transferRequest, evaluator: evaluator, requirements: requirements, answers: withAnswers { $0 })
    }
    let number: Int
    (transferRequest.credential, number) = state.withLock { state in
      state.starts += 1
      state.stage = stage
      if let source, let record, !state.isStopped {
        state.upload = Upload(source: source, record: record, mark: record.begin(url))
      }
      switch stage {
      case .listing(let format): state.listing = FTPListing(format, of: url, now: Date())
      case .lookup(let format): state.lookup = FTPSizeLookup(format, of: url, now: Date())
      case .probe, .confirmation, .body, .directory, .file, .change: break
      }
      return (state.credential, state.starts)
    }
    sessionClient.urlProtocol(self, isWaiting: true)
    let transfer = connections.engine(for: body).start(transferRequest, handler: self)
    source?.attach(to: transfer)
    let isStopped = state.withLock { state in
      // Another may have begun before this line was reached.
      if !state.isStopped, state.starts == number { state.transfer = transfer }
      return state.isStopped
    }
    if isStopped { transfer.cancel() } else { transfer.begin(under: sessionClient.gate) }
  }

  /// Only what there is to know of the file is wanted.
  var isHead: Bool { request.httpMethod == "HEAD" }

  /// The URL for libcurl: `ftp`, since its `ftps` means implicit TLS; without user and password, which go separately.
  private static func transferURL(_ url: URL, for stage: Stage) -> String {
    guard var components = URLComponents(url: url, resolvingAgainstBaseURL: true) else { return url.absoluteString }
    components.scheme = "ftp"
    components.user = nil
    components.password = nil
    components.fragment = nil
    switch stage {
    case .directory, .listing:
      // Without a file in the URL, libcurl changes to the directory, which fails if there is none.
      if !components.percentEncodedPath.hasSuffix("/") { components.percentEncodedPath += "/" }
    case .file:
      while components.percentEncodedPath.hasSuffix("/") { components.percentEncodedPath.removeLast() }
    case .lookup: components.percentEncodedPath = FTPPath.folder(of: components.percentEncodedPath)
    // The change has the path: its commands begin where the login leads to.
    case .change: (components.percentEncodedPath, components.query) = ("/", nil)
    case .probe, .confirmation, .body: break
    }
    return components.string ?? url.absoluteString
  }
}
