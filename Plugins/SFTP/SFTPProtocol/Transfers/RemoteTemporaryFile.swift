/// A new file of an upload, under a name that nobody else knows: it gets the target's name, or goes.
///
/// Until it has done so it holds the connection, whatever becomes of the upload.
///
/// Mutable state: all of it, confined to the connection's thread.
final class RemoteTemporaryFile {
  private enum State {
    /// It is asked for, or waits for others to be closed.
    case opening
    case open(RemoteHandle)
    case closed
    /// There is none, or none any more under this name.
    case gone
  }

  let path: [UInt8]
  private let client: SFTPClient
  private var state = State.opening
  private var isUnwanted = false

  /// - Parameter target: the file that it is to stand in for, beside which it is made.
  init(for target: [UInt8], client: SFTPClient) {
    path = RemotePath.temporary(for: target)
    self.client = client
  }

  var handle: RemoteHandle? {
    if case .open(let handle) = state { handle } else { nil }
  }

  /// Whether the server may have a file of this name.
  var exists: Bool {
    switch state {
    case .open, .closed: true
    case .opening, .gone: false
    }
  }

  /// Makes the file; once.
  /// - Parameters:
  ///   - willSend: called when the server may have one more file open.
  ///   - reply: not called for a file that was discarded.
  func open(willSend: @escaping () -> Void, _ reply: @escaping SFTPClient.Reply<Void>) {
    client.hold()
    client.open(
      path, [.write, .create, .exclusive],
      willSend: { [self] in
        if !isUnwanted { willSend() }
        if isUnwanted { leave() }
        return !isUnwanted
      }
    ) { [self] result in
      switch result {
      case .failure(let failure):
        leave()
        if !isUnwanted { reply(.failure(failure)) }
      case .success(let handle):
        state = .open(handle)
        if isUnwanted { remove() } else { reply(.success(())) }
      }
    }
  }

  /// Closes what is open.
  /// - Parameter permissions: what the file gets before, if anything.
  func close(permissions: UInt32?, _ reply: @escaping SFTPClient.Reply<Void>) {
    guard case .open(let handle) = state else { return }
    state = .closed
    // A server that cannot set them keeps the contents from nobody.
    if let permissions { client.fsetstat(handle, FileAttributes(permissions: permissions)) { _ in } }
    client.close(handle, reply)
  }

  /// It has the target's name, or nobody can know whether it has.
  func leave() {
    if case .gone = state { return }
    state = .gone
    client.letGo()
  }

  /// Removes the file, now or as soon as the server has answered that it is there.
  func discard() {
    isUnwanted = true
    if exists { remove() }
  }

  private func remove() {
    if let handle { client.close(handle) }
    client.cleanUp(path)
    leave()
  }
}
