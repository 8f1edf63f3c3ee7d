extension URLSession {
  /// The entries of a directory, over any scheme whose protocol class can list: `file`, `ftp` and `ftps`, and those of
  /// plugins.
  ///
  /// ```swift
  /// for try await entry in session.entries(at: url) { print(entry.name, entry.size ?? 0) }
  /// ```
  ///
  /// The load begins with the first request for an entry. Entries are in the source's order; back-pressure pauses the
  /// source while the reader is slow, so that a directory of any size takes little memory. The load is cancelled with
  /// the surrounding `Task`, and when the iterator is released. A listing that ends with nil is complete; others throw.
  ///
  /// The errors are those of a load, and `URLError.resourceUnavailable` where the URL names something that is no directory,
  /// `URLError.unsupportedURL` where no class can list the scheme, `URLError.cannotParseResponse` where a server's
  /// listing cannot be read.
  /// - Parameters:
  ///   - url: the directory, with or without a slash at its end.
  ///   - delegate: called for challenges and so on; the session's for methods that it lacks.
  public func entries(at url: URL, delegate: (any URLSessionTaskDelegate)? = nil) -> URLDirectoryEntries {
    entries(at: URLRequest(url: url), delegate: delegate)
  }

  /// What is in the directory that a request names. See ``entries(at:delegate:)-(URL,_)``.
  public func entries(at request: URLRequest, delegate: (any URLSessionTaskDelegate)? = nil) -> URLDirectoryEntries {
    URLDirectoryEntries(session: self, request: request, delegate: delegate)
  }

  func listing(_ request: URLRequest, delegate: (any URLSessionTaskDelegate)?) -> EntryReader {
    let sink = EntrySink()
    let load = load(LoadPlan(request: request, kind: .listing, owner: .reader))
    load.setSink(sink)
    sink.attach(to: load)
    return EntryReader(task: made(URLSessionDataTask(load: load), delegate: delegate), sink: sink)
  }
}

/// The entries of a directory as they come. Each iterator lists anew.
public struct URLDirectoryEntries: AsyncSequence, Sendable {
  /// Entries.
  public typealias Element = URLDirectoryEntry

  fileprivate let session: URLSession
  fileprivate let request: URLRequest
  fileprivate let delegate: (any URLSessionTaskDelegate)?

  /// Begins a load of its own with the first entry that is asked for.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(entries: self) }

  /// Gives one entry after another.
  public struct AsyncIterator: AsyncIteratorProtocol {
    private let entries: URLDirectoryEntries
    private var reader: EntryReader?
    private var batch: [URLDirectoryEntry] = []
    private var next = 0
    private var isFinished = false

    init(entries: URLDirectoryEntries) {
      self.entries = entries
    }

    /// The next entry; nil at the end, when there were no more. After that, and after an error, there is nothing more.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws -> URLDirectoryEntry? {
      guard !isFinished else { return nil }
      if next == batch.count || Task.isCancelled { try await refill() }
      guard !isFinished else { return nil }
      defer { next += 1 }
      return batch[next]
    }

    /// Gets entries, or comes to the end.
    private mutating func refill(isolation actor: isolated (any Actor)? = #isolation) async throws {
      // Until entries are there nothing more comes: an error thrown from here is the end.
      isFinished = true
      batch = []
      next = 0
      let reader = self.reader ?? entries.session.listing(entries.request, delegate: entries.delegate)
      self.reader = reader
      guard let more = try await reader.nextBatch() else {
        self.reader = nil
        return
      }
      batch = more
      isFinished = false
    }
  }
}
