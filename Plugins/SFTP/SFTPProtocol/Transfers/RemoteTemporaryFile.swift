/// The temporary file of an upload, which is renamed to the target or removed. Until then it keeps the connection open, even after the
/// upload has ended.
///
/// Mutable state: all of it, confined to the connection's thread.
final class RemoteTemporaryFile {
  /// A file that a connection may have left behind.
  typealias Leftover = (path: [UInt8], mark: UploadRecord.Mark?)

  private enum State {
    /// Requested, or waiting for other files to be closed.
    case opening
    case open(RemoteHandle)
    case closed
    /// Not made, renamed or removed.
    case gone
    /// The connection was lost before the server replied.
    case unknown
  }

  let path: [UInt8]
  private let client: SFTPClient
  private let record: UploadRecord
  private var mark: UploadRecord.Mark?
  private var state = State.opening
  private var isUnwanted = false

  /// - Parameter target: the file that it replaces, in whose folder it is made.
  init(for target: [UInt8], client: SFTPClient, record: UploadRecord) {
    path = RemotePath.temporary(for: target)
    self.client = client
    self.record = record
  }

  var handle: RemoteHandle? {
    if case .open(let handle) = state { handle } else { nil }
  }

  /// What the next connection has to remove if this one is lost now; nil where the server has no such file.
  var leftover: Leftover? {
    switch state {
    case .open, .closed, .unknown: (path, mark)
    case .opening, .gone: nil
    }
  }

  /// Makes the file; once.
  /// - Parameters:
  ///   - permissions: its permissions, of which the server's mask is taken; nil for the server's default.
  ///   - willSend: called when the server may have one more file open.
  ///   - reply: not called for a file that was discarded.
  func open(
    permissions: UInt32?, willSend: @escaping () -> Bool, _ reply: @escaping SFTPClient.Reply<Void>
  ) {
    client.beginWork()
    client.open(
      path, [.write, .create, .exclusive], permissions: permissions,
      willSend: { [self] in
        if !isUnwanted { _ = willSend() }
        if isUnwanted { leave(.gone) } else { mark = record.begin(path) }
        return !isUnwanted
      }
    ) { [self] result in
      switch result {
      case .failure(let failure):
        if case .connectionLost(_, wasSent: true) = failure { leave(.unknown) } else { leave(.gone) }
        if !isUnwanted { reply(.failure(failure)) }
      case .success(let handle):
        state = .open(handle)
        if isUnwanted { remove() } else { reply(.success(())) }
      }
    }
  }

  /// Sets the permissions before what is written next, without waiting: a server carries out requests for one file in order
  /// (draft-ietf-secsh-filexfer-02, section 6.1). A failure leaves those that it was made with.
  func set(permissions: UInt32) {
    guard let handle else { return }
    client.fsetstat(handle, FileAttributes(permissions: permissions)) { _ in }
  }

  /// Closes what is open.
  func close(_ reply: @escaping SFTPClient.Reply<Void>) {
    guard case .open(let handle) = state else { return }
    state = .closed
    client.close(handle, reply)
  }

  func becameTarget() { leave(.gone) }

  /// The connection was lost while it was renamed.
  func isLost() { leave(.unknown) }

  private func leave(_ end: State) {
    switch state {
    case .gone, .unknown: return
    case .opening, .open, .closed: break
    }
    state = end
    if case .unknown = end { record.giveUp(mark) } else { record.end(mark) }
    client.endWork()
  }

  /// Removes the file, now or as soon as the server has confirmed that it was made.
  func discard() {
    isUnwanted = true
    switch state {
    case .open, .closed: remove()
    case .opening, .gone, .unknown: break
    }
  }

  private func remove() {
    if let handle { client.close(handle) }
    state = .gone
    record.remove(path, mark, by: client)
    client.endWork()
  }
}
