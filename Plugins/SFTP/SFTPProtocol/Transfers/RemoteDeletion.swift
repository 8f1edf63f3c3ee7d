import URLLoading

/// Deletes a file.
///
/// Mutable state: all stored properties, confined to the connection's thread.
// Safe to share: the state is touched on the connection's thread only.
final class RemoteDeletion: RemoteOperation, @unchecked Sendable {
  private let client: SFTPClient
  private let report: Report
  private let path: RemotePath
  private let failures: RemoteFailures
  private var isOver = false

  init(url: URL, path: RemotePath, server: RemoteServer, report: @escaping Report) {
    failures = RemoteFailures(url: url)
    self.path = path
    client = server.client
    self.report = report
  }

  func start() {
    report(.began)
    guard !path.namesDirectory else { return end(failures.directory("delete")) }
    client.remove(path.bytes) { [self] result in
      guard !isOver else { return }
      switch result {
      case .success:
        report(
          .responded(URLResponse(url: failures.url, mimeType: nil, expectedContentLength: 0, textEncodingName: nil)))
        report(.finished)
      case .failure(let failure) where failure.status == .failure: explain(failure)
      case .failure(let failure): end(failures.refused("delete", failure, .remove(path.bytes)), failure)
      }
    }
  }

  func pause(_ pauses: Bool) {}

  func stop() { isOver = true }

  /// Servers have one code for all that is wrong, directories included.
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
    // What was sent may have been done; to do it again would fail, or delete what came meanwhile.
    guard case .connectionLost(_, wasSent: false)? = failure else { return report(.failed(error)) }
    report(
      .lost(
        failure ?? .connectionLost(reason: nil, wasSent: false),
        retry: { [failures, path] server, report in
          RemoteDeletion(url: failures.url, path: path, server: server, report: report)
        }))
  }
}
