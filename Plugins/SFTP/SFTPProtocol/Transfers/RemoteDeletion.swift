import URLLoading

/// Deletes a file, a link or an empty directory.
// Safe to share: see `RemoteOperation`.
final class RemoteDeletion: RemoteOperation, @unchecked Sendable {
  override func start() {
    report(.began)
    guard !path.namesDirectory else { return removeDirectory() }
    client.remove(path.bytes) { [self] result in
      guard !isOver else { return }
      switch result {
      case .success: succeed()
      // Servers have one status for all reasons, directories included; some have that of POSIX's EPERM for these.
      case .failure(let failure) where failure.status == .failure || failure.status == .permissionDenied:
        lookForDirectory(failure)
      case .failure(let failure): refuse(failure)
      }
    }
  }

  private func lookForDirectory(_ failure: SFTPFailure) {
    client.lstat(path.bytes) { [self] result in
      guard !isOver else { return }
      guard case .success(let attributes) = result, attributes.kind == .directory else { return refuse(failure) }
      removeDirectory()
    }
  }

  private func removeDirectory() {
    client.rmdir(path.bytes) { [self] result in
      guard !isOver else { return }
      switch result {
      case .success: succeed()
      // Version 3 has no status for a directory that is not empty.
      case .failure(let failure) where failure.status == .failure:
        let words = "the server refused to remove the directory, which may not be empty: \(failure.explanation)"
        fail(failures.error(.cannotRemoveFile, "Cannot delete \(failures.name): \(words).", failure))
      case .failure(let failure): refuse(failure)
      }
    }
  }

  private func succeed() {
    respond(length: 0)
    finish()
  }

  private func refuse(_ failure: SFTPFailure) {
    fail(failures.refused("delete", failure, .remove(path.bytes)), failure)
  }
}
