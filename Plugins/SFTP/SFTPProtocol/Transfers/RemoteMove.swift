import URLLoading

/// Gives a file, a link or a directory another name on its server.
// Safe to share: see `RemoteOperation`.
final class RemoteMove: RemoteOperation, @unchecked Sendable {
  private let target: RemotePath
  private let replaces: Bool
  private let record: UploadRecord

  /// - Parameter replaces: whether a file that has the name may be replaced.
  init(
    url: URL, path: RemotePath, to target: RemotePath, replaces: Bool, uploads: UnfinishedUploads?,
    server: RemoteServer,
    report: @escaping Report
  ) {
    self.target = target
    self.replaces = replaces
    record = UploadRecord(uploads: uploads, url: url)
    super.init(url: url, path: path, server: server, report: report)
  }

  override func start() {
    report(.began)
    guard replaces else { return rename() }
    // Where a server renames in steps, a directory must not be what steps aside for a file, nor the reverse.
    client.lstat(path.bytes) { [self] source in
      guard !isOver else { return }
      guard case .success(let own) = source else { return rename() }
      client.lstat(target.bytes) { [self] found in
        guard !isOver else { return }
        if case .success(let other) = found, (own.kind == .directory) != (other.kind == .directory) {
          let words = other.kind == .directory ? "the target is a directory" : "a directory does not replace a file"
          return fail(failures.error(.cannotMoveFile, "Cannot move \(failures.name): \(words)."))
        }
        rename()
      }
    }
  }

  private func rename() {
    let renaming = RemoteReplacement(
      client: client, from: path.bytes, to: target.bytes, replaces: replaces, record: record)
    renaming.start { [self] result in
      guard !isOver else { return }
      switch result {
      case .success:
        respond(length: 0)
        finish()
      case .failure(let failure): explain(failure)
      }
    }
  }

  /// Servers have one status for all reasons, and the old name may be that which is missing, or the new one's directory.
  private func explain(_ failure: SFTPFailure) {
    let step = RemoteFailures.Step.rename(path.bytes, to: target.bytes)
    guard failure.status == .failure, !replaces else { return fail(failures.refused("move", failure, step), failure) }
    client.lstat(target.bytes) { [self] result in
      guard !isOver else { return }
      if case .success = result {
        return fail(
          failures.error(
            .cannotMoveFile,
            "Cannot move \(failures.name): there is something at the target, which is not to be replaced.")
        )
      }
      fail(failures.refused("move", failure, step), failure)
    }
  }
}
