import URLLoading

/// Lists a directory.
///
/// Entries are reported as they come. A listing that was interrupted fails, since servers promise no order in which another connection
/// could continue.
// Safe to share: see `RemoteOperation`.
final class RemoteListing: RemoteOperation, @unchecked Sendable {
  /// Requests under way at once with OpenSSH's server, whose replies have up to 100 entries each.
  private static let readAheadCount = 8

  private var underWay = 0
  private var isAtEnd = false
  private var isPaused = false

  override func start() {
    client.opendir(path.bytes, willSend: willOpen()) { [self] result in
      switch result {
      case .success(let opened):
        handle = opened
        guard !isOver else { return closeHandle() }
        respond(length: -1)
        ask()
      case .failure(let failure) where isOver || failure.status == nil: lose(failure)
      case .failure(let failure): explain(failure)
      }
    }
  }

  override func pause(_ pauses: Bool) {
    isPaused = pauses
    ask()
  }

  // MARK: Entries

  /// OpenSSH carries out requests for one directory in order, as the draft demands; other servers run them at the same time, and fail.
  private var window: Int { client.has(.expandPath) ? Self.readAheadCount : 1 }

  private func ask() {
    while let handle, !isOver, !isPaused, !isAtEnd, underWay < window {
      underWay += 1
      client.readdir(handle) { [self] result in
        underWay -= 1
        guard !isOver else { return }
        switch result {
        case .success(let names): list(names)
        case .failure(let failure) where failure.status == .endOfFile: isAtEnd = true
        case .failure(let failure): return end(failures.broken(failure))
        }
        ask()
        if isAtEnd, underWay == 0, !isOver { finish() }
      }
    }
  }

  private func list(_ names: [RemoteName]) {
    // Some servers end so, and OpenSSH's client takes it for the end. Another request might have the same result, without an end.
    guard !names.isEmpty else {
      isAtEnd = true
      return
    }
    let entries = names.compactMap { name in
      let attributes = name.attributes
      let kind = URLDirectoryEntry.Kind(attributes.kind)
      return URLDirectoryEntry(
        nameBytes: name.bytes, in: failures.url, kind: kind,
        size: kind == .file || kind == .unknown ? attributes.size.flatMap { Int64(exactly: $0) } : nil,
        modificationDate: attributes.modificationTime.map { Date(timeIntervalSince1970: TimeInterval($0)) })
    }
    if !entries.isEmpty { report(.entries(entries)) }
  }

  // MARK: The end

  /// Servers have one status for a missing directory and for what is not a directory.
  private func explain(_ failure: SFTPFailure) {
    client.stat(path.bytes) { [self] result in
      guard !isOver else { return }
      switch result {
      case .success(let attributes) where attributes.kind == .regular || attributes.kind == .other:
        end(.notDirectory(failures.url))
      case .failure(let lost) where lost.status == nil: lose(lost)
      default: end(failures.refused("list", failure))
      }
    }
  }

  private func end(_ error: URLError) {
    stop()
    report(.failed(error))
  }

  /// No entry was reported yet: another connection may start again.
  private func lose(_ failure: SFTPFailure) {
    guard !isOver else { return }
    guard failure.isRepeatable else { return end(failures.refused("list", failure)) }
    stop()
    report(.lost(failure))
  }
}
