import URLLoading

/// Lists a directory.
///
/// Entries go on as they come. A listing that breaks off does not go on with another connection: a server promises no order, by which
/// the next one could begin where this one ended.
///
/// Mutable state: all stored properties, confined to the connection's thread.
// Safe to share: the state is touched on the connection's thread only.
final class RemoteListing: RemoteOperation, @unchecked Sendable {
  /// Questions for more that are under way at once with a server that is known to answer them one after another. Each answer of
  /// OpenSSH's has a hundred entries at most.
  private static let questionCount = 8

  private let client: SFTPClient
  private let report: Report
  private let path: RemotePath
  private let failures: RemoteFailures
  private var handle: RemoteHandle?
  private var underWay = 0
  private var isAtEnd = false
  private var isPaused = false
  private var isOver = false

  init(url: URL, path: RemotePath, server: RemoteServer, report: @escaping Report) {
    failures = RemoteFailures(url: url)
    self.path = path
    client = server.client
    self.report = report
  }

  // MARK: From outside

  func start() {
    if !client.canOpen { report(.waits) }
    client.opendir(
      path.bytes,
      willSend: { [self] in
        if !isOver { report(.began) }
        return !isOver
      }
    ) { [self] result in
      switch result {
      case .success(let opened):
        handle = opened
        guard !isOver else { return closeHandle() }
        report(
          .responded(
            URLResponse(url: failures.url, mimeType: nil, expectedContentLength: -1, textEncodingName: nil)))
        ask()
      case .failure(let failure) where isOver || failure.status == nil: lose(failure)
      case .failure(let failure): explain(failure)
      }
    }
  }

  func pause(_ pauses: Bool) {
    isPaused = pauses
    ask()
  }

  func stop() {
    isOver = true
    closeHandle()
  }

  // MARK: Entries

  /// Only OpenSSH is known to take questions about one directory in turn, as the draft demands; other servers work at them at the
  /// same time, and fail.
  private var window: Int { client.has(.expandPath) ? Self.questionCount : 1 }

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
    // Asking again might have no end.
    guard !names.isEmpty else { return end(failures.broken("the server answered with no names, and did not end")) }
    let entries = names.compactMap { name in
      let attributes = name.attributes
      let kind: URLDirectoryEntry.Kind =
        switch attributes.kind {
        case .regular: .file
        case .directory: .directory
        case .symbolicLink: .symbolicLink
        case .other: .other
        case .unknown: .unknown
        }
      return URLDirectoryEntry(
        nameBytes: name.bytes, in: failures.url, kind: kind,
        size: kind == .file || kind == .unknown ? attributes.size.flatMap { Int64(exactly: $0) } : nil,
        modificationDate: attributes.modificationTime.map { Date(timeIntervalSince1970: TimeInterval($0)) })
    }
    if !entries.isEmpty { report(.entries(entries)) }
  }

  // MARK: The end

  /// Servers have one code for what is not there and for what is no directory.
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

  private func finish() {
    stop()
    report(.finished)
  }

  private func end(_ error: URLError) {
    stop()
    report(.failed(error))
  }

  /// Nothing was told yet: another connection may begin anew.
  private func lose(_ failure: SFTPFailure) {
    guard !isOver else { return }
    guard case .connectionLost(let reason, _) = failure, !(reason is WireViolation) else {
      return end(failures.refused("list", failure))
    }
    stop()
    report(
      .lost(
        failure,
        retry: { [failures, path] server, report in
          RemoteListing(url: failures.url, path: path, server: server, report: report)
        }))
  }

  private func closeHandle() {
    guard let open = handle else { return }
    handle = nil
    client.close(open)
  }
}
