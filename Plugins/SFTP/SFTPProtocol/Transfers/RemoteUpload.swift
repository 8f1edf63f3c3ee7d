import URLLoading

/// Stores an upload, or a copy of a file of the same server: in a temporary file beside the target, which is renamed to the target when it is
/// complete. Until then the target is the old file.
///
/// The target keeps its permissions, owner and group, and links stay links. Where a new file cannot be given the owner and group, the
/// server does not say where a link leads, or it refuses the temporary file or its rename, the target is written in place, and is
/// incomplete until the end. Copies are not: what cannot be copied so can be loaded and stored.
// Safe to share: see `RemoteOperation`.
final class RemoteUpload: RemoteOperation, @unchecked Sendable {
  /// Bytes read and not confirmed: 2 MiB, the channel window of most servers. More would only wait, and leave the processor's cache.
  private static let window = 2 << 20
  private static let pieceCount = 128 << 10

  let record: UploadRecord
  let replaces: Bool
  /// When the content was changed last, in seconds since 1970; nil for now.
  private let modified: UInt32?
  /// The permissions of a new file, of which the server's mask is taken; nil for the server's default.
  let newPermissions: UInt32?
  private(set) var content: RemoteContent
  /// What is done, for messages: "Cannot … it".
  var action: String { content.isCopy ? "store the copy at" : "store the upload at" }
  /// Temporary files that a connection may leave behind.
  private var leftovers: [RemoteTemporaryFile.Leftover]

  var target: [UInt8] = []
  /// The server has reported what the target is, and it may be replaced.
  var mayReplaceTarget = false
  var permissions: UInt32?
  /// The owner of the file that is replaced.
  var owner: FileAttributes.Owner?
  var temporary: RemoteTemporaryFile?
  /// The temporary file has the target's owner.
  var hasOwner = false
  /// The target, where it is written in place.
  var inPlace: RemoteTargetFile?
  var openFailure: SFTPFailure?
  /// Why the target is written in place: what a refusal of that would hide.
  var refusedWay: (failure: SFTPFailure, step: RemoteFailures.Step)?
  var offset: UInt64 = 0
  var confirmed: Int64 = 0
  /// Bytes that the server has not confirmed; of a copy, requests.
  var underWay = 0
  var isReading = false
  var hasReadAll = false
  private var isClosed = false
  private var isPaused = false
  private var isCommitting = false

  /// - Parameter replaces: false where an existing file has to stay.
  init(
    url: URL, path: RemotePath, replaces: Bool, modified: UInt32? = nil, permissions: UInt32? = nil,
    content: RemoteContent, uploads: UnfinishedUploads? = nil, leftovers: [RemoteTemporaryFile.Leftover] = [],
    server: RemoteServer,
    report: @escaping Report
  ) {
    record = UploadRecord(uploads: uploads, url: url)
    self.replaces = replaces
    self.modified = modified
    newPermissions = permissions
    self.content = content
    self.leftovers = leftovers
    super.init(url: url, path: path, server: server, report: report)
  }

  override func start() {
    guard !path.namesDirectory else { return end(failures.directory(action)) }
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
      case .failure(let failure) where failure.status == nil: refuse(failure)
      case .failure: lookThroughLinks()
      }
    }
    // Most targets are no links or directories: the temporary file is made in the same round trip.
    if replaces, !isOver, !client.refusesRename { create() }
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

  // MARK: The bytes

  var mayRead: Bool { inPlace != nil || (mayReplaceTarget && hasOwner && temporary?.handle != nil) }

  /// Reads ahead as far as the window reaches, one piece at a time.
  func readOn() {
    guard mayRead, !hasReadAll, !isOver, !isPaused, !isReading else { return }
    let body: UploadBodyReader
    switch content {
    case .body(let reader): body = reader
    case .file(let source): return copyOn(source)
    }
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
      inPlace.open(willSend: willOpen()) { [self] result in
        switch result {
        case .success:
          failures.remark += " What is there now is not whole."
          send(bytes)
        case .failure(let failure): refuseInPlace(failure)
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
  func close() {
    // After the last write, which would set another one. A server that refuses leaves its own.
    if let modified, let handle = inPlace?.handle ?? temporary?.handle {
      client.fsetstat(handle, FileAttributes(modificationTime: modified)) { _ in }
    }
    let closed: SFTPClient.Reply<Void> = { [self] result in
      guard !isOver else { return }
      if case .failure(let failure) = result { return refuse(failure, .write(temporary?.path ?? target)) }
      isClosed = true
      commitIfWritten()
    }
    if let inPlace { inPlace.close(closed) } else { temporary?.close(closed) }
  }

  func commitIfWritten() {
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
    if failure.status == .unsupported { client.refusesRename = true }
    guard !replaces else { return writeAgainInPlace(failure, step) }
    client.lstat(target) { [self] result in
      guard !isOver else { return }
      if case .success = result { end(exists) } else { writeAgainInPlace(failure, step) }
    }
  }

  /// Writes the body a second time, to the target.
  private func writeAgainInPlace(_ failure: SFTPFailure, _ step: RemoteFailures.Step) {
    guard content.canRepeat else {
      // Loaded and stored, it can be written in place.
      return content.isCopy && failure.status == .unsupported
        ? refuseToCopy("the server does not rename files") : refuse(failure, step)
    }
    content = content.again()
    (offset, confirmed) = (0, 0)
    (hasReadAll, isClosed) = (false, false)
    refusedWay = (failure, step)
    writeInPlace("the server does not rename the complete file")
  }

  private func stored() {
    isOver = true
    respond(length: 0)
    report(.finished)
  }

  func refuse(_ failure: SFTPFailure, _ step: RemoteFailures.Step? = nil) {
    end(failures.refused(action, failure, step ?? .store), failure)
  }

  /// If the connection is lost now, the next one has to remove the temporary file.
  private func recordLeftover() {
    if let leftover = temporary?.leftover { leftovers.append(leftover) }
  }

  func discardTemporary() {
    recordLeftover()
    temporary?.discard()
    temporary = nil
  }

  func end(_ error: URLError, _ failure: SFTPFailure? = nil) {
    recordLeftover()
    stop()
    // A connection that is lost during the rename leaves it unknown whether that happened: without `replaces` a second try might fail.
    guard let failure, failure.isRepeatable, content.canRepeat, replaces || !isCommitting else {
      return report(.failed(error))
    }
    report(
      .lost(
        failure, remark: failures.remark,
        retry: { [record, path, replaces, modified, newPermissions, content, leftovers] server, report in
          RemoteUpload(
            url: record.url, path: path, replaces: replaces, modified: modified, permissions: newPermissions,
            content: content.again(), uploads: record.uploads, leftovers: leftovers, server: server, report: report)
        }))
  }
}
