import URLLoading

/// Deletes a file.
// Safe to share: see `RemoteOperation`.
final class RemoteDeletion: RemoteOperation, @unchecked Sendable {
  override func start() {
    report(.began)
    guard !path.namesDirectory else { return end(failures.directory("delete")) }
    client.remove(path.bytes) { [self] result in
      guard !isOver else { return }
      switch result {
      case .success:
        respond(length: 0)
        finish()
      case .failure(let failure) where failure.status == .failure: explain(failure)
      case .failure(let failure): end(failures.refused("delete", failure, .remove(path.bytes)), failure)
      }
    }
  }

  /// Servers have one status for all reasons, directories included.
  private func explain(_ failure: SFTPFailure) {
    client.lstat(path.bytes) { [self] result in
      guard !isOver else { return }
      if case .success(let attributes) = result, attributes.kind == .directory {
        return end(failures.directory("delete"))
      }
      end(failures.refused("delete", failure, .remove(path.bytes)), failure)
    }
  }

  private func end(_ error: URLError, _ failure: SFTPFailure? = nil) {
    stop()
    // A request that was sent may have been carried out: a second one would fail, or delete a file that was made since.
    if let failure, case .connectionLost(_, wasSent: false) = failure { return report(.lost(failure)) }
    report(.failed(error))
  }
}
