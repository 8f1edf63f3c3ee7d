/// The target of an upload, written in place where a temporary file cannot replace it.
///
/// Mutable state: all of it, confined to the connection's thread.
final class RemoteTargetFile {
  private enum State {
    case untouched
    case opening
    case open(RemoteHandle)
    case closed
  }

  private let path: [UInt8]
  /// Whether a file that has the name may be replaced.
  private let replaces: Bool
  private let permissions: UInt32?
  private let client: SFTPClient
  private let record: UploadRecord
  private var mark: UploadRecord.Mark?
  private var state = State.untouched
  private var isUnwanted = false
  /// It was emptied, or may have been, and is not complete.
  private(set) var isTorn = false

  /// - Parameter permissions: those of a file that is made, of which the server's mask is taken; nil for the server's default.
  init(_ path: [UInt8], replaces: Bool, permissions: UInt32?, client: SFTPClient, record: UploadRecord) {
    self.path = path
    self.replaces = replaces
    self.permissions = permissions
    self.client = client
    self.record = record
  }

  var handle: RemoteHandle? {
    if case .open(let handle) = state { handle } else { nil }
  }

  /// Opens and empties the file; once, when there is something to write.
  /// - Parameters:
  ///   - willSend: called when the server may have one more file open.
  ///   - reply: not called for a file that was discarded.
  func open(willSend: @escaping () -> Bool, _ reply: @escaping SFTPClient.Reply<Void>) {
    client.open(
      // `truncate` demands `create` (draft-ietf-secsh-filexfer-02, section 6.3).
      path, replaces ? [.write, .create, .truncate] : [.write, .create, .exclusive],
      permissions: permissions,
      willSend: { [self] in
        guard !isUnwanted else { return false }
        _ = willSend()
        state = .opening
        isTorn = true
        mark = record.begin(path)
        return true
      }
    ) { [self] result in
      switch result {
      case .failure(let failure):
        state = .closed
        isTorn = failure.status == nil
        finish()
        if !isUnwanted { reply(.failure(failure)) }
      case .success(let handle):
        state = .open(handle)
        if isUnwanted { discard() } else { reply(.success(())) }
      }
    }
  }

  func close(_ reply: @escaping SFTPClient.Reply<Void>) {
    guard case .open(let handle) = state else { return }
    state = .closed
    client.close(handle, reply)
  }

  /// The server has confirmed all writes.
  func isWhole() {
    isTorn = false
    finish()
  }

  /// Leaves the file as it is.
  func discard() {
    isUnwanted = true
    switch state {
    // Decided by the reply.
    case .untouched, .opening: return
    case .open(let handle): client.close(handle)
    case .closed: break
    }
    state = .closed
    finish()
  }

  private func finish() {
    if isTorn { record.giveUp(mark) } else { record.end(mark) }
  }
}
