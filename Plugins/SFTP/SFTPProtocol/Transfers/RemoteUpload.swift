import URLLoading

/// Stores an upload: in a temporary file beside the target, which gets the target's name when it is whole. Whatever happens on the
/// way, the target is the old file or the new one.
///
/// A file that is replaced keeps its permissions, owner and group, and links stay links. Where a new file cannot be given the owner
/// and group, or the server does not say where a link leads to, the target is written in place; then it is not whole until the end.
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
  private var failures: RemoteFailures
  private let record: UploadRecord
  private let replaces: Bool
  private let body: UploadBodyReader
  /// Temporary files that a connection may leave behind.
  private var leftovers: [RemoteLeftover]

  private var target: [UInt8] = []
  /// Whether the server has said what is there, and nothing about it forbids the upload.
  private var mayReplaceTarget = false
  private var permissions: UInt32?
  /// Of the file that is replaced.
  private var owner: FileAttributes.Owner?
  private var temporary: RemoteTemporaryFile?
  /// The temporary file may get the target's name: it has the target's owner.
  private var mayStandIn = false
  /// The target itself, where that is written.
  private var inPlace: RemoteTargetFile?
  private var openFailure: SFTPFailure?
  private var offset: UInt64 = 0
  private var confirmed: Int64 = 0
  private var underWay = 0
  private var isReading = false
  private var hasReadAll = false
  private var isClosed = false
  private var isPaused = false
  private var isOver = false
  private var isCommitting = false

  /// - Parameter replaces: false where a file that is there has to stay.
  init(
    url: URL, path: RemotePath, replaces: Bool, body: UploadBodyReader, uploads: UnfinishedUploads? = nil,
    leftovers: [RemoteLeftover] = [], server: RemoteServer, report: @escaping Report
  ) {
    failures = RemoteFailures(url: url)
    record = UploadRecord(uploads: uploads, url: url)
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
    for leftover in leftovers {
      record.end(leftover.mark)
      record.remove(leftover.path, record.begin(leftover.path), by: client)
    }
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
    inPlace?.discard()
  }

  // MARK: The target

  /// The file that the link leads to is replaced, not the link.
  private func followLink() {
    noteLeftover()
    temporary?.discard()
    temporary = nil
    openFailure = nil
    RemoteLink(path.bytes, client: client) { [self] end in
      guard !isOver else { return }
      switch end {
      case .leads(let real, let attributes?):
        target = real
        found(attributes)
      case .leads(let real, nil):
        target = real
        acceptTarget()
      case .hidden(let attributes): found(attributes, onlyByLink: true)
      case .failed(let failure): refuse(failure)
      }
    }.follow()
  }

  private func found(_ attributes: FileAttributes, onlyByLink: Bool = false) {
    switch attributes.kind {
    case .directory: return end(failures.directory("store the upload at"))
    case .other: return end(failures.special("store the upload at"))
    case .regular, .unknown, .symbolicLink: break
    }
    guard replaces else { return end(exists) }
    // Rights to run a file as somebody else do not pass to new contents.
    permissions = attributes.permissions.map { $0 & 0o777 }
    owner = attributes.owner
    if onlyByLink {
      mayReplaceTarget = true
      writeInPlace("the server does not say where its link leads to")
    } else {
      acceptTarget()
    }
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
    if let openFailure { refuseToOpen(openFailure) } else { keepOwner() }
  }

  private func create() {
    let temporary = RemoteTemporaryFile(for: target, client: client, record: record)
    self.temporary = temporary
    if !client.canOpen { report(.waits) }
    temporary.open(willSend: { [self] in report(.began) }) { [self] result in
      switch result {
      case .success: keepOwner()
      // What is wrong with the target says more.
      case .failure(let failure) where !mayReplaceTarget: openFailure = failure
      case .failure(let failure): refuseToOpen(failure)
      }
    }
  }

  private func refuseToOpen(_ failure: SFTPFailure) {
    guard failure.status == .noSuchFile else { return refuse(failure, .create(temporary?.path ?? target)) }
    end(
      failures.error(
        .fileDoesNotExist, "Cannot store the upload at \(failures.name): there is no such folder.", failure))
  }

  // MARK: The owner

  /// Goes on when the new file has the owner and the group of the one that it is to stand in for.
  private func keepOwner() {
    guard mayReplaceTarget, !isOver, let handle = temporary?.handle else { return }
    guard let owner else { return standIn() }
    client.fstat(handle) { [self] result in
      guard !isOver else { return }
      // Of a server that does not say whose files are nothing can be kept.
      guard case .success(let own) = result, let made = own.owner, made != owner else {
        if case .failure(let failure) = result, failure.status == nil { return refuse(failure) }
        return standIn()
      }
      client.fsetstat(handle, FileAttributes(owner: owner)) { [self] result in
        guard !isOver else { return }
        switch result {
        case .success: standIn()
        case .failure(let failure) where failure.status == nil: refuse(failure)
        case .failure:
          writeInPlace("a new file cannot be given its owner \(owner.userID) and group \(owner.groupID)")
        }
      }
    }
  }

  private func standIn() {
    mayStandIn = true
    readOn()
  }

  /// - Parameter reason: why nothing can stand in for the target, for the middle of a sentence.
  private func writeInPlace(_ reason: String) {
    noteLeftover()
    temporary?.discard()
    temporary = nil
    failures.remark = "It has to be written in place: \(reason)."
    inPlace = RemoteTargetFile(target, client: client, record: record)
    readOn()
  }

  // MARK: The bytes

  private var handle: RemoteHandle? { inPlace?.handle ?? temporary?.handle }

  private var mayRead: Bool { inPlace != nil || (mayReplaceTarget && mayStandIn && temporary?.handle != nil) }

  /// Reads ahead as far as the window reaches, one piece at a time.
  private func readOn() {
    guard mayRead, !hasReadAll, !isOver, !isPaused, !isReading else { return }
    let count = min(client.largestWrite, Self.pieceCount)
    guard underWay == 0 || underWay + count <= Self.window else { return }
    isReading = true
    body.read(count) { [self] result in server.perform { self.didRead(result) } }
  }

  private func didRead(_ result: Result<[UInt8], any Error>) {
    guard !isOver else { return }
    switch result {
    case .failure(let error):
      if let error = error as? URLError, inPlace?.isTorn != true { return end(error) }
      end(
        failures.error(
          (error as? URLError)?.code ?? .cannotOpenFile,
          "Cannot read the upload's body for \(failures.name): \(error.localizedDescription)"))
    case .success(let bytes):
      // What is written in place stays as it was until there is something to write.
      if let inPlace, inPlace.handle == nil { empty(inPlace) { [self] in send(bytes) } } else { send(bytes) }
    }
  }

  private func empty(_ file: RemoteTargetFile, _ goOn: @escaping () -> Void) {
    if !client.canOpen { report(.waits) }
    file.open(willSend: { [self] in report(.began) }) { [self] result in
      switch result {
      case .success:
        failures.remark += " What is there now is not whole."
        goOn()
      case .failure(let failure): refuse(failure, .write(target))
      }
    }
  }

  private func send(_ bytes: [UInt8]) {
    isReading = false
    guard let handle, !isOver else { return }
    guard !bytes.isEmpty else {
      hasReadAll = true
      return close()
    }
    underWay += bytes.count
    client.write(handle, offset: offset, bytes[...]) { [self] result in wrote(bytes.count, result) }
    offset += UInt64(bytes.count)
    readOn()
  }

  private func wrote(_ count: Int, _ result: Result<Void, SFTPFailure>) {
    guard !isOver else { return }
    if case .failure(let failure) = result { return refuse(failure, .write(temporary?.path ?? target)) }
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
    let closed: SFTPClient.Reply<Void> = { [self] result in
      guard !isOver else { return }
      if case .failure(let failure) = result { return refuse(failure, .write(temporary?.path ?? target)) }
      isClosed = true
      commitIfWritten()
    }
    if let inPlace { inPlace.close(closed) } else { temporary?.close(permissions: permissions, closed) }
  }

  private func commitIfWritten() {
    guard isClosed, underWay == 0, !isOver else { return }
    if let inPlace {
      inPlace.isWhole()
      return stored()
    }
    guard let temporary else { return }
    isCommitting = true
    let renaming = RemoteReplacement(
      client: client, from: temporary.path, to: target, replaces: replaces, record: record)
    renaming.start { [self] result in
      switch result {
      case .success:
        temporary.becameTarget()
        if !isOver { stored() }
      case .failure(.connectionLost(let reason, let wasSent)):
        if !isOver { refuse(.connectionLost(reason: reason, wasSent: wasSent)) }
        temporary.isLost()
      case .failure(let failure):
        if isOver { temporary.discard() } else { refuseName(failure) }
      }
    }
  }

  /// The file has not got its name: because of one that came meanwhile, or for the server's own reasons.
  private func refuseName(_ failure: SFTPFailure) {
    isCommitting = false
    let step = RemoteFailures.Step.rename(temporary?.path ?? target, to: target)
    guard !replaces else { return refuse(failure, step) }
    client.lstat(target) { [self] result in
      guard !isOver else { return }
      if case .success = result { end(exists) } else { refuse(failure, step) }
    }
  }

  private func stored() {
    isOver = true
    report(
      .responded(URLResponse(url: failures.url, mimeType: nil, expectedContentLength: 0, textEncodingName: nil)))
    report(.finished)
  }

  private func refuse(_ failure: SFTPFailure, _ step: RemoteFailures.Step? = nil) {
    end(failures.refused("store the upload at", failure, step ?? .store), failure)
  }

  /// If the connection is lost now, the next one has to remove what is there.
  private func noteLeftover() {
    if let leftover = temporary?.leftover { leftovers.append(leftover) }
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
        failure ?? .connectionLost(reason: nil, wasSent: true), remark: failures.remark,
        retry: { [record, path, replaces, body, leftovers] server, report in
          RemoteUpload(
            url: record.url, path: path, replaces: replaces, body: body.again(), uploads: record.uploads,
            leftovers: leftovers, server: server, report: report)
        }))
  }
}
