import URLLoading

/// Stores an upload: in a temporary file beside the target, which is renamed to the target when it is complete. Until then the target is
/// the old file.
///
/// The target keeps its permissions, owner and group, and links stay links. Where a new file cannot be given the owner and group, or the
/// server does not say where a link leads, the target is written in place, and is incomplete until the end.
// Safe to share: see `RemoteOperation`.
final class RemoteUpload: RemoteOperation, @unchecked Sendable {
  /// Bytes read and not confirmed: 2 MiB, the channel window of most servers. More would only wait, and leave the processor's cache.
  private static let window = 2 << 20
  private static let pieceCount = 128 << 10

  private let record: UploadRecord
  private let replaces: Bool
  private let body: UploadBodyReader
  /// Temporary files that a connection may leave behind.
  private var leftovers: [RemoteLeftover]

  private var target: [UInt8] = []
  /// The server has reported what the target is, and it may be replaced.
  private var mayReplaceTarget = false
  private var permissions: UInt32?
  /// The owner of the file that is replaced.
  private var owner: FileAttributes.Owner?
  private var temporary: RemoteTemporaryFile?
  /// The temporary file has the target's owner.
  private var hasOwner = false
  /// The target, where it is written in place.
  private var inPlace: RemoteTargetFile?
  private var openFailure: SFTPFailure?
  private var offset: UInt64 = 0
  private var confirmed: Int64 = 0
  private var underWay = 0
  private var isReading = false
  private var hasReadAll = false
  private var isClosed = false
  private var isPaused = false
  private var isCommitting = false

  /// - Parameter replaces: false where an existing file has to stay.
  init(
    url: URL, path: RemotePath, replaces: Bool, body: UploadBodyReader, uploads: UnfinishedUploads? = nil,
    leftovers: [RemoteLeftover] = [], server: RemoteServer, report: @escaping Report
  ) {
    record = UploadRecord(uploads: uploads, url: url)
    self.replaces = replaces
    self.body = body
    self.leftovers = leftovers
    super.init(url: url, path: path, server: server, report: report)
  }

  override func start() {
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
    // Most targets are no links or directories: the temporary file is made in the same round trip.
    if replaces, !isOver { create() }
  }

  override func pause(_ pauses: Bool) {
    isPaused = pauses
    readOn()
  }

  override func stop() {
    guard !isOver else { return }
    isOver = true
    // Once the rename was requested, it may have happened.
    if !isCommitting { temporary?.discard() }
    inPlace?.discard()
  }

  // MARK: The target

  /// Replaces the file that the link leads to, not the link.
  private func followLink() {
    discardTemporary()
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
    // Without the set-user-ID, set-group-ID and sticky bits, which were given to the old contents.
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
    let began = willOpen()
    temporary.open(willSend: { _ = began() }) { [self] result in
      switch result {
      case .success: keepOwner()
      // The target's own problem explains more.
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

  /// Gives the temporary file the owner and the group of the target.
  private func keepOwner() {
    guard mayReplaceTarget, !isOver, let handle = temporary?.handle else { return }
    guard let owner else { return keptOwner() }
    client.fstat(handle) { [self] result in
      guard !isOver else { return }
      // A server that reports no owners cannot set them.
      guard case .success(let own) = result, let made = own.owner, made != owner else {
        if case .failure(let failure) = result, failure.status == nil { return refuse(failure) }
        return keptOwner()
      }
      client.fsetstat(handle, FileAttributes(owner: owner)) { [self] result in
        guard !isOver else { return }
        switch result {
        case .success: keptOwner()
        case .failure(let failure) where failure.status == nil: refuse(failure)
        case .failure:
          writeInPlace("a new file cannot be given its owner \(owner.userID) and group \(owner.groupID)")
        }
      }
    }
  }

  private func keptOwner() {
    hasOwner = true
    readOn()
  }

  /// - Parameter reason: why no other file can replace the target, for the middle of a sentence.
  private func writeInPlace(_ reason: String) {
    discardTemporary()
    failures.remark = "It has to be written in place: \(reason)."
    inPlace = RemoteTargetFile(target, client: client, record: record)
    readOn()
  }

  // MARK: The bytes

  private var mayRead: Bool { inPlace != nil || (mayReplaceTarget && hasOwner && temporary?.handle != nil) }

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
      guard let inPlace, inPlace.handle == nil else { return send(bytes) }
      // A target that is written in place is emptied only when there is something to write.
      let began = willOpen()
      inPlace.open(willSend: { _ = began() }) { [self] result in
        switch result {
        case .success:
          failures.remark += " What is there now is not whole."
          send(bytes)
        case .failure(let failure): refuse(failure, .write(target))
        }
      }
    }
  }

  private func send(_ bytes: [UInt8]) {
    isReading = false
    guard let handle = inPlace?.handle ?? temporary?.handle, !isOver else { return }
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

  /// Closes without waiting for the writes: a server carries out requests for one file in order (draft-ietf-secsh-filexfer-02, section
  /// 6.1).
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

  /// The rename failed: because the target was made meanwhile, or for the server's own reasons.
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
    respond(length: 0)
    report(.finished)
  }

  private func refuse(_ failure: SFTPFailure, _ step: RemoteFailures.Step? = nil) {
    end(failures.refused("store the upload at", failure, step ?? .store), failure)
  }

  /// If the connection is lost now, the next one has to remove the temporary file.
  private func noteLeftover() {
    if let leftover = temporary?.leftover { leftovers.append(leftover) }
  }

  private func discardTemporary() {
    noteLeftover()
    temporary?.discard()
    temporary = nil
  }

  private func end(_ error: URLError, _ failure: SFTPFailure? = nil) {
    noteLeftover()
    stop()
    // A connection that is lost during the rename leaves it unknown whether that happened: without `replaces` a second try might fail.
    guard let failure, failure.isRepeatable, body.canRepeat, replaces || !isCommitting else {
      return report(.failed(error))
    }
    report(
      .lost(
        failure, remark: failures.remark,
        retry: { [record, path, replaces, body, leftovers] server, report in
          RemoteUpload(
            url: record.url, path: path, replaces: replaces, body: body.again(), uploads: record.uploads,
            leftovers: leftovers, server: server, report: report)
        }))
  }
}
