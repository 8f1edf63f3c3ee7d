import URLLoading

/// Notes what an upload may leave on the server, for the session.
struct UploadRecord: Sendable {
  typealias Mark = UnfinishedUploads.Mark

  /// Nil where nobody wants to know.
  let uploads: UnfinishedUploads?
  /// Of the upload: the server and the user of its files.
  let url: URL

  func begin(_ path: [UInt8]) -> Mark? { uploads?.begin(RemotePath.url(of: path, on: url)) }

  func end(_ mark: Mark?) {
    if let mark { uploads?.end(mark) }
  }

  func giveUp(_ mark: Mark?) {
    if let mark { uploads?.giveUp(mark) }
  }

  /// Removes a file that only this side knows of, and notes whether the server has confirmed that it has gone.
  func remove(_ path: [UInt8], _ mark: Mark?, by client: SFTPClient) {
    client.cleanUp(path) { result in
      switch result {
      case .success: end(mark)
      case .failure(let failure) where failure.status == .noSuchFile: end(mark)
      case .failure: giveUp(mark)
      }
    }
  }
}
