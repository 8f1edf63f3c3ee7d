import URLLoading

/// Makes a directory.
// Safe to share: see `RemoteOperation`.
final class RemoteDirectory: RemoteOperation, @unchecked Sendable {
  override func start() {
    report(.began)
    client.mkdir(path.bytes) { [self] result in
      guard !isOver else { return }
      switch result {
      case .success:
        respond(length: 0)
        finish()
      case .failure(let failure): fail(failures.refused("make the directory", failure, .create(path.bytes)), failure)
      }
    }
  }
}
