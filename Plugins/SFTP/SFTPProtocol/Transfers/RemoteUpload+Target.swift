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

  /// The server does not tell links from files, or does not say what is no file as others do.
  func lookThroughLinks() {
    client.stat(target) { [self] result in
      guard !isOver else { return }
      switch result {
      case .success(let attributes): found(attributes)
      case .failure(let failure) where failure.status == nil: refuse(failure)
      // A target that cannot be replaced shows it when it is.
      case .failure: acceptTarget()
      }
    }
  }

  func found(_ attributes: FileAttributes, onlyByLink: Bool = false) {
    switch attributes.kind {
    case .directory: return end(failures.directory(action))
    case .other: return end(failures.special(action))
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
      "Cannot \(action) \(failures.name): the file exists, and \(content.isCopy ? "is not to be replaced" : "the request's If-None-Match forbids to replace it")."
    )
  }

  func acceptTarget() {
    mayReplaceTarget = true
    guard !client.refusesRename else { return writeInPlace("the server does not rename files") }
    if temporary == nil { return create() }
    if let openFailure { refuseToOpen(openFailure) } else { keepOwner() }
  }

  func create() {
    let temporary = RemoteTemporaryFile(for: target, client: client, record: record)
    self.temporary = temporary
    temporary.open(permissions: newPermissions, willSend: willOpen()) { [self] result in
      switch result {
      case .success: keepOwner()
      // The target's own problem explains more.
      case .failure(let failure) where !mayReplaceTarget: openFailure = failure
      case .failure(let failure): refuseToOpen(failure)
      }
    }
  }

  /// No temporary file could be made: the server may refuse its name, or to make what must not exist, but take the target.
  private func refuseToOpen(_ failure: SFTPFailure) {
    let step = RemoteFailures.Step.create(temporary?.path ?? target)
    guard failure.status != nil, !content.isCopy || failure.status != .noSuchFile else { return refuse(failure, step) }
    refusedWay = (failure, step)
    writeInPlace("the server takes no file beside it")
  }

  /// The target cannot be written in place.
  func refuseInPlace(_ failure: SFTPFailure) {
    guard let refusedWay, failure.status != nil else { return refuse(failure, .write(target)) }
    failures.remark = ""
    if case .create = refusedWay.step, failure.status == .noSuchFile {
      return end(
        failures.error(
          .fileDoesNotExist, "Cannot \(action) \(failures.name): there is no such folder.", failure))
    }
    // A file that was made meanwhile, and has to stay.
    guard !replaces else { return refuse(refusedWay.failure, refusedWay.step) }
    client.lstat(target) { [self] result in
      guard !isOver else { return }
      if case .success = result { end(exists) } else { refuse(refusedWay.failure, refusedWay.step) }
    }
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
  func writeInPlace(_ reason: String) {
    discardTemporary()
    guard !content.isCopy else { return refuseToCopy("it would have to be written in place, since \(reason)") }
    failures.remark = "It has to be written in place: \(reason)."
    inPlace = RemoteTargetFile(
      target, replaces: replaces, permissions: newPermissions, client: client, record: record)
    readOn()
  }
}
