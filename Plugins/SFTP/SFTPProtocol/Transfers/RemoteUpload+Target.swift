import URLLoading

/// Finds out what the target is, and makes a temporary file that can replace it.
extension RemoteUpload {
  /// Replaces the file that the link leads to, not the link.
  func followLink() {
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

  func found(_ attributes: FileAttributes, onlyByLink: Bool = false) {
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

  var exists: URLError {
    failures.error(
      .cannotCreateFile,
      "Cannot store the upload at \(failures.name): the file exists, and the request's If-None-Match forbids to replace it."
    )
  }

  func acceptTarget() {
    mayReplaceTarget = true
    if temporary == nil { return create() }
    if let openFailure { refuseToOpen(openFailure) } else { keepOwner() }
  }

  func create() {
    let temporary = RemoteTemporaryFile(for: target, client: client, record: record)
    self.temporary = temporary
    temporary.open(willSend: willOpen()) { [self] result in
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
    // Who may not read the target must not read what replaces it.
    if let permissions { temporary?.set(permissions: permissions) }
    readOn()
  }

  /// - Parameter reason: why no other file can replace the target, for the middle of a sentence.
  private func writeInPlace(_ reason: String) {
    discardTemporary()
    failures.remark = "It has to be written in place: \(reason)."
    inPlace = RemoteTargetFile(target, client: client, record: record)
    readOn()
  }
}
