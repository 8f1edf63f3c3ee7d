import URLLoading

/// Stores an upload: in a temporary file beside the target, which gets the target's name when it is whole. Whatever happens on the
/// way, the target is the old file or the new one.
///
/// Mutable state: all stored properties, confined to the connection's thread.
// Safe to share: the state is touched on the connection's thread only.
final class RemoteUpload: RemoteOperation, @unchecked Sendable {
  /// Bytes that wait, or are on their way and not confirmed: what the channel of most servers takes. What is read beyond that only
  /// waits, and has left the processor's cache when it is encrypted.
  private static let window = 2 << 20
  private static let pieceCount = 128 << 10

  private var client: SFTPClient { server.client }
  private let server: RemoteServer
  private let report: Report
  private let path: RemotePath
  private let failures: RemoteFailures
  private let replaces: Bool
  private let body: UploadBodyReader
  /// Temporary files that a connection may leave behind.
  private var leftovers: [[UInt8]]

  private var target: [UInt8] = []
  /// Whether the server has said what is there, and nothing about it forbids the upload.
  private var mayReplaceTarget = false
  private var permissions: UInt32?
  private var temporary: RemoteTemporaryFile?
  private var openFailure: SFTPFailure?
  private var offset: UInt64 = 0
  private var confirmed: Int64 = 0
  private var underWay = 0
  private var isReading = false
  private var isClosed = false
  private var isPaused = false
  private var isOver = false
  private var isCommitting = false

  /// - Parameter replaces: false where a file that is there has to stay.
  init(
    url: URL, path: RemotePath, replaces: Bool, body: UploadBodyReader, leftovers: [[UInt8]] = [],
    server: RemoteServer, report: @escaping Report
  ) {
    failures = RemoteFailures(url: url)
    self.path = path
    self.replaces = replaces
    self.body = body
    self.leftovers = leftovers
    self.server = server
    self.report = report
  }

  // MARK: From outside

  func start() {
    guard !path.namesDirectory else { return end(failures.directory("store the upload at")) }
    target = path.bytes
    for leftover in leftovers { client.cleanUp(leftover) }
    client.lstat(target) { [self] result in
      guard !isOver else { return }
      switch result {
      case .success(let attributes) where attributes.kind == .symbolicLink: followLink()
      case .success(let attributes): found(attributes)
      case .failure(let failure) where failure.status == .noSuchFile: acceptTarget()
      case .failure(let failure): refuse(failure)
      }
    }
    // Nearly always there is no link and no directory: the file is made on the same way there and back. Where one that is there has
    // to stay, it often is.
    if replaces, !isOver { create() }
  }

  func pause(_ pauses: Bool) {
    isPaused = pauses
    readOn()
  }

  func stop() {
    guard !isOver else { return }
    isOver = true
    // Once the new name was asked for, the file may have it.
    if !isCommitting { temporary?.discard() }
  }

  // MARK: The target

  /// The file that the link leads to is replaced, not the link.
  private func followLink() {
    noteLeftover()
    temporary?.discard()
    temporary = nil
    openFailure = nil
    client.realpath(target) { [self] result in
      guard !isOver else { return }
      if case .success(let real) = result { target = real }
      client.stat(path.bytes) { [self] result in
        guard !isOver else { return }
        switch result {
        case .success(let attributes): found(attributes)
        case .failure(let failure) where failure.status == .noSuchFile: acceptTarget()
        case .failure(let failure): refuse(failure)
        }
      }
    }
  }

  private func found(_ attributes: FileAttributes) {
    switch attributes.kind {
    case .directory: return end(failures.directory("store the upload at"))
    case .other: return end(failures.special("store the upload at"))
    case .regular, .unknown, .symbolicLink: break
    }
    guard replaces else { return end(exists) }
    // Rights to run a file as somebody else do not pass to new contents.
    permissions = attributes.permissions.map { $0 & 0o777 }
    acceptTarget()
  }

  private var exists: URLError {
    failures.error(
      .cannotCreateFile,
      "Cannot store the upload at \(failures.name): the file exists, and the request's If-None-Match forbids to replace it."
    )
  }

  private func acceptTarget() {
    mayReplaceTarget = true
    if temporary == nil { return create() }
    if let openFailure { refuseToOpen(openFailure) } else { readOn() }
  }

  private func create() {
    let temporary = RemoteTemporaryFile(for: target, client: client)
    self.temporary = temporary
    if !client.canOpen { report(.waits) }
    temporary.open(willSend: { [self] in report(.began) }) { [self] result in
      switch result {
      case .success: readOn()
      // What is wrong with the target says more.
      case .failure(let failure) where !mayReplaceTarget: openFailure = failure
      case .failure(let failure): refuseToOpen(failure)
      }
    }
  }

  private func refuseToOpen(_ failure: SFTPFailure) {
    guard failure.status == .noSuchFile else { return refuse(failure) }
    end(
      failures.error(
        .fileDoesNotExist, "Cannot store the upload at \(failures.name): there is no such folder.", failure))
  }

  // MARK: The bytes

  /// Reads ahead as far as the window reaches, one piece at a time.
  private func readOn() {
    guard mayReplaceTarget, temporary?.handle != nil, !isOver, !isPaused, !isReading else { return }
    let count = min(client.largestWrite, Self.pieceCount)
    guard underWay == 0 || underWay + count <= Self.window else { return }
    isReading = true
    body.read(count) { [self] result in server.perform { self.didRead(result) } }
  }

  private func didRead(_ result: Result<[UInt8], any Error>) {
    isReading = false
    guard let handle = temporary?.handle, !isOver else { return }
    switch result {
    case .failure(let error):
      end(
        error as? URLError
          ?? failures.error(
            .cannotOpenFile, "Cannot read the upload's body for \(failures.name): \(error.localizedDescription)"))
    case .success(let bytes) where bytes.isEmpty:
      close()
    case .success(let bytes):
      underWay += bytes.count
      client.write(handle, offset: offset, bytes[...]) { [self] result in wrote(bytes.count, result) }
      offset += UInt64(bytes.count)
      readOn()
    }
  }

  private func wrote(_ count: Int, _ result: Result<Void, SFTPFailure>) {
    guard !isOver else { return }
    if case .failure(let failure) = result { return refuse(failure) }
    underWay -= count
    confirmed += Int64(count)
    report(.sent(confirmed))
    readOn()
    commitIfWritten()
  }

  // MARK: The end

  /// Nobody waits for the writes before: a server does what concerns one file in the order in which it is asked
  /// (draft-ietf-secsh-filexfer-02, section 6.1).
  private func close() {
    temporary?.close(permissions: permissions) { [self] result in
      guard !isOver else { return }
      if case .failure(let failure) = result { return refuse(failure) }
      isClosed = true
      commitIfWritten()
    }
  }

  private func commitIfWritten() {
    guard isClosed, underWay == 0, !isOver, let temporary else { return }
    isCommitting = true
    let renaming = RemoteReplacement(client: client, from: temporary.path, to: target, replaces: replaces)
    renaming.start { [self] result in
      switch result {
      case .success:
        temporary.leave()
        if !isOver { stored() }
      case .failure(.connectionLost(let reason, let wasSent)):
        if !isOver { refuse(.connectionLost(reason: reason, wasSent: wasSent)) }
        temporary.leave()
      case .failure(let failure):
        if isOver { temporary.discard() } else { refuseName(failure) }
      }
    }
  }

  /// The file has not got its name: because of one that came meanwhile, or for the server's own reasons.
  private func refuseName(_ failure: SFTPFailure) {
    isCommitting = false
    guard !replaces else { return refuse(failure) }
    client.lstat(target) { [self] result in
      guard !isOver else { return }
      if case .success = result { end(exists) } else { refuse(failure) }
    }
  }

  private func stored() {
    isOver = true
    report(
      .responded(URLResponse(url: failures.url, mimeType: nil, expectedContentLength: 0, textEncodingName: nil)))
    report(.finished)
  }

  private func refuse(_ failure: SFTPFailure) {
    end(failures.refused("store the upload at", failure, .cannotWriteToFile), failure)
  }

  /// If the connection is lost now, the next one has to remove what is there.
  private func noteLeftover() {
    if let temporary, temporary.exists { leftovers.append(temporary.path) }
  }

  private func end(_ error: URLError, _ failure: SFTPFailure? = nil) {
    noteLeftover()
    stop()
    // Whether a name was given is not known when the connection is lost then: who must not replace cannot try again.
    guard case .connectionLost(let reason, _)? = failure, !(reason is WireViolation), body.canRepeat,
      replaces || !isCommitting
    else { return report(.failed(error)) }
    report(
      .lost(
        failure ?? .connectionLost(reason: nil, wasSent: true),
        retry: { [failures, path, replaces, body, leftovers] server, report in
          RemoteUpload(
            url: failures.url, path: path, replaces: replaces, body: body.again(), leftovers: leftovers, server: server,
            report: report)
        }))
  }
}
