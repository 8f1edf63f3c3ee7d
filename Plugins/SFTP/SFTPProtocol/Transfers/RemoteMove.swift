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
    guard path.bytes != target.bytes else { return refuse("the target is the same") }
    client.lstat(path.bytes) { [self] source in
      guard !isOver else { return }
      switch source {
      case .failure(let failure): fail(failures.refused("move", failure), failure)
      case .success(let own):
        client.lstat(target.bytes) { [self] found in
          guard !isOver else { return }
          rename(own, over: try? found.get())
        }
      }
    }
  }

  /// - Parameter other: what has the new name; nil for nothing that is known.
  private func rename(_ own: FileAttributes, over other: FileAttributes?) {
    // Some servers replace a file by a plain rename.
    if other != nil, !replaces { return refuse("there is something at the target, which is not to be replaced") }
    let isDirectory = own.kind == .directory
    if let other, isDirectory != (other.kind == .directory) {
      return refuse(isDirectory ? "a directory does not replace a file" : "the target is a directory")
    }
    // A directory does not step aside for another one.
    let inOneStep = isDirectory && !client.has(.posixRename)
    let renaming = RemoteReplacement(
      client: client, from: path.bytes, to: target.bytes, replaces: replaces && !inOneStep, record: record)
    let client = client
    // What has stepped aside is not left so by a load that ends meanwhile.
    client.beginWork()
    renaming.start { [self] result in
      defer { client.endWork() }
      guard !isOver else { return }
      switch result {
      case .success:
        respond(length: 0)
        finish()
      case .failure(let failure):
        fail(failures.refused("move", failure, .rename(path.bytes, to: target.bytes)), failure)
      }
    }
  }

  private func refuse(_ words: String) {
    fail(failures.error(.cannotMoveFile, "Cannot move \(failures.name): \(words)."))
  }
}
