import URLLoading

/// Makes a directory.
// Safe to share: see `RemoteOperation`.
final class RemoteDirectory: RemoteOperation, @unchecked Sendable {
  private let permissions: UInt32?

  /// - Parameter permissions: its permissions, of which the server's mask is taken; nil for the server's default.
  init(url: URL, path: RemotePath, permissions: UInt32?, server: RemoteServer, report: @escaping Report) {
    self.permissions = permissions
    super.init(url: url, path: path, server: server, report: report)
  }

  override func start() {
    report(.began)
    client.mkdir(path.bytes, permissions: permissions) { [self] result in
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
