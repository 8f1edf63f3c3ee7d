import URLLoading

/// Copies a file to another name of its server, which reads and writes it itself, where it has OpenSSH's extension `copy-data`.
// Safe to share: see `RemoteOperation`.
final class RemoteCopy: RemoteOperation, @unchecked Sendable {
  private let targetURL: URL
  private let target: RemotePath
  private let replaces: Bool
  private let uploads: UnfinishedUploads?
  private var storing: RemoteUpload?
  /// The length of what is copied, while it is under way.
  private var lengthUnderWay: UInt64?
  private var isPaused = false

  /// - Parameter replaces: whether a file that has the name may be replaced.
  init(
    url: URL, path: RemotePath, to targetURL: URL, _ target: RemotePath, replaces: Bool, uploads: UnfinishedUploads?,
    server: RemoteServer, report: @escaping Report
  ) {
    self.targetURL = targetURL
    self.target = target
    self.replaces = replaces
    self.uploads = uploads
    super.init(url: url, path: path, server: server, report: report)
  }

  override func start() {
    report(.began)
    guard path.bytes != target.bytes else {
      return fail(failures.error(.cannotCreateFile, "Cannot copy \(failures.name): the target is the same."))
    }
    guard client.has(.copyData) else { return refuse("it has not OpenSSH's extension copy-data") }
    client.stat(path.bytes) { [self] result in
      guard !isOver else { return }
      switch result {
      case .success(let attributes): found(attributes)
      case .failure(let failure): lose(failure)
      }
    }
  }

  override func pause(_ pauses: Bool) {
    isPaused = pauses
    storing?.pause(pauses)
  }

  override func stop() {
    guard !isOver else { return }
    super.stop()
    storing?.stop()
    storing = nil
    if let length = lengthUnderWay.take() { client.endCopy(length) }
  }

  private func found(_ attributes: FileAttributes) {
    switch attributes.kind {
    case .directory: return fail(failures.directory("copy"))
    case .other: return fail(failures.special("copy"))
    case .symbolicLink, .regular, .unknown: break
    }
    guard !path.namesDirectory else { return fail(failures.notADirectory("copy")) }
    guard let length = attributes.size else { return refuse("it does not say how long the file is") }
    // By now the server has said how many.
    guard client.handleLimit > 1 else { return refuse("it lets one file be open at once") }
    if !client.canCopy(length) { report(.waits) }
    client.beginCopy(length) { [self] result in
      if case .failure(let failure) = result {
        if !isOver { lose(failure) }
        return
      }
      guard !isOver else { return client.endCopy(length) }
      lengthUnderWay = length
      report(.began)
      open(attributes, length)
    }
  }

  private func open(_ attributes: FileAttributes, _ length: UInt64) {
    client.open(path.bytes, .read, willSend: willOpen()) { [self] result in
      switch result {
      case .failure(let failure): if !isOver { lose(failure) }
      case .success(let opened):
        handle = opened
        guard !isOver else { return closeHandle() }
        store(RemoteSource(handle: opened, version: FileVersion(attributes), length: length), attributes)
      }
    }
  }

  private func store(_ source: RemoteSource, _ attributes: FileAttributes) {
    let storing = RemoteUpload(
      url: targetURL, path: target, replaces: replaces, modified: attributes.modificationTime,
      permissions: attributes.permissions.map { $0 & 0o777 }, content: .file(source), uploads: uploads, server: server
    ) { [weak self] event in
      self?.told(event)
    }
    self.storing = storing
    if isPaused { storing.pause(true) }
    storing.start()
  }

  private func told(_ event: OperationEvent) {
    guard !isOver else { return }
    switch event {
    case .waits, .began, .sent: report(event)
    case .finished:
      respond(length: 0)
      finish()
    case .failed, .lost:
      stop()
      report(event)
    // There is no body, and the response is that of the source's URL.
    case .responded, .bytes, .entries: break
    }
  }

  private func refuse(_ reason: String) {
    fail(failures.error(.unsupportedURL, "The server cannot copy \(failures.name) by itself: \(reason)."))
  }

  /// Nothing was changed: another connection may ask again.
  private func lose(_ failure: SFTPFailure) {
    guard failure.isRepeatable else { return fail(failures.refused("copy", failure)) }
    stop()
    report(.lost(failure))
  }
}
