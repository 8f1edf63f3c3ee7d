/// Has the server copy what is stored, in steps, between which other loads of the connection have their turn.
extension RemoteUpload {
  func copyOn(_ source: RemoteSource) {
    guard underWay == 0, let target = temporary?.handle else { return }
    isReading = true
    // Files below /proc have contents, and a size of 0: those are copied up to their end.
    let count = min(source.length - offset, CopyQueue.bytesInAStep)
    request { [offset] in
      client.copyData(from: source.handle, to: target, offset: offset, count: count, $0)
    } ended: {
      self.isReading = false
      self.confirmed += Int64(count)
      self.report(.sent(self.confirmed))
      self.readOn()
    }
    offset += count
    guard offset == source.length else { return }
    // A server carries out requests for one file in order (draft-ietf-secsh-filexfer-02, section 6.1).
    hasReadAll = true
    compare(source, target)
    close()
  }

  /// Sends a request that belongs to the copy.
  private func request(_ send: (@escaping SFTPClient.Reply<Void>) -> Void, ended: @escaping () -> Void) {
    underWay += 1
    send { [self] result in
      guard !isOver else { return }
      switch result {
      case .success:
        underWay -= 1
        ended()
        commitIfWritten()
      case .failure(let failure): copyFailed(failure)
      }
    }
  }

  private func copyFailed(_ failure: SFTPFailure) {
    switch failure.status {
    case .unsupported: refuseToCopy(failure.explanation)
    case .endOfFile: end(failures.error(.resourceUnavailable, "Cannot \(action) \(failures.name): \(Self.shrank)."))
    default: refuse(failure, .write(temporary?.path ?? target))
    }
  }

  private static let shrank = "the file that is copied shrank meanwhile"

  /// Whether the source is what it was, and the copy as long.
  private func compare(_ source: RemoteSource, _ target: RemoteHandle) {
    attributes(of: source.handle) { attributes in
      guard let change = source.version.change(to: FileVersion(ofOpenFile: attributes)) else { return nil }
      return "the file that is copied has another version (\(change))"
    }
    guard source.length > 0 else { return }
    let path = temporary?.path
    attributes(of: target) { [self] attributes in
      if let size = FileVersion(ofOpenFile: attributes).size { return Self.difference(size, source.length) }
      // Servers that do not know the attributes of an open file know those of a path.
      if let path { check(client.stat, path) { $0.size.flatMap { Self.difference($0, source.length) } } }
      return nil
    }
  }

  private static func difference(_ size: UInt64, _ length: UInt64) -> String? {
    size == length ? nil : "the server copied \(size) of \(length) bytes"
  }

  private func attributes(of handle: RemoteHandle, _ flaw: @escaping (FileAttributes) -> String?) {
    check(client.fstat, handle, flaw)
  }

  /// Asks for attributes.
  /// - Parameter flaw: what is wrong with them; nil where that is nothing.
  private func check<Place>(
    _ ask: (Place, @escaping SFTPClient.Reply<FileAttributes>) -> Void, _ place: Place,
    _ flaw: @escaping (FileAttributes) -> String?
  ) {
    underWay += 1
    ask(place) { [self] result in
      guard !isOver else { return }
      switch result {
      case .failure(let failure) where failure.status == nil: return refuse(failure)
      // A server without them cannot be asked.
      case .failure: break
      case .success(let attributes):
        if let words = flaw(attributes) {
          return end(failures.error(.resourceUnavailable, "Cannot \(action) \(failures.name): \(words)."))
        }
      }
      underWay -= 1
      commitIfWritten()
    }
  }

  /// The server cannot do it so: what is copied can be loaded and stored.
  /// - Parameter reason: for the middle of a sentence.
  func refuseToCopy(_ reason: String) {
    end(failures.error(.unsupportedURL, "The server cannot copy to \(failures.name) by itself: \(reason)."))
  }
}
