import URLLoading

/// Records for the session which files an upload may leave on the server.
struct UploadRecord: Sendable {
  typealias Mark = UnfinishedUploads.Mark

  /// Nil where there is no session.
  let uploads: UnfinishedUploads?
  /// The upload's URL: the server and the user of its files.
  let url: URL

  func begin(_ path: [UInt8]) -> Mark? { uploads?.begin(RemotePath.url(of: path, on: url)) }

  func end(_ mark: Mark?) {
    if let mark { uploads?.end(mark) }
  }

  func giveUp(_ mark: Mark?) {
    if let mark { uploads?.giveUp(mark) }
  }

  /// Removes a file, even if the load ends meanwhile, and records whether the server has confirmed it.
  func remove(_ path: [UInt8], _ mark: Mark?, by client: SFTPClient) {
    client.beginWork()
    client.remove(path) { result in
      switch result {
      case .success: end(mark)
      case .failure(let failure) where failure.status == .noSuchFile: end(mark)
      case .failure: giveUp(mark)
      }
      client.endWork()
    }
  }
}
