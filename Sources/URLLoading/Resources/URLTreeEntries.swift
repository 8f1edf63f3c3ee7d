extension ShadowableMembers where Self: URLSession {
  /// The entries of a directory, and those of the directories in it, over any scheme whose protocol class can list.
  ///
  /// ```swift
  /// for try await found in session.entries(at: url, recursively: true, matching: "**/*.swift") { print(found.path) }
  /// ```
  ///
  /// Those of one directory come in the source's order, those of the directories in it after them. One directory is listed at a time, with
  /// back-pressure; in memory are the names of the directories that are still to be listed, and of no files. Symbolic links are given, and
  /// not followed.
  ///
  /// A directory below that cannot be listed, such as for want of permission, does not keep the others from being listed: the error comes
  /// at the end, with their number. So it is with an entry whose kind its server does not tell: it may be a directory. The errors are those
  /// of ``URLSession/entries(at:delegate:)-(URL,_)``.
  /// - Parameters:
  ///   - url: the directory, with or without a slash at its end.
  ///   - recursively: whether the entries of the directories in it follow.
  ///   - pattern: what paths have to match, as POSIX sh has it: `*`, `?` and `[a-z]` in a name, a backslash in front of what stands for itself,
  ///     and `**` for any number of directories. Names that begin with a dot match only where the pattern has it. Directories below which
  ///     nothing can match are not listed. Nil for all.
  ///   - delegate: called for challenges and so on; the session's for methods that it lacks.
  public func entries(
    at url: URL, recursively: Bool, matching pattern: String? = nil, delegate: (any URLSessionTaskDelegate)? = nil
  ) -> URLTreeEntries {
    URLTreeEntries(
      session: self, url: url, pattern: pattern.map { PathPattern($0) }, isRecursive: recursively, delegate: delegate)
  }
}

/// The entries of a tree as they come. Each iterator lists anew.
public struct URLTreeEntries: AsyncSequence, Sendable {
  /// Entries with their paths.
  public typealias Element = URLTreeEntry

  fileprivate let session: URLSession
  fileprivate let url: URL
  fileprivate let pattern: PathPattern?
  fileprivate let isRecursive: Bool
  fileprivate let delegate: (any URLSessionTaskDelegate)?

  init(
    session: URLSession, url: URL, pattern: PathPattern?, isRecursive: Bool, delegate: (any URLSessionTaskDelegate)?
  ) {
    self.session = session
    self.url = url
    self.pattern = pattern
    self.isRecursive = isRecursive
    self.delegate = delegate
  }

  /// Begins to list with the first entry that is asked for.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(entries: self) }

  /// Gives one entry after another.
  public struct AsyncIterator: AsyncIteratorProtocol {
    /// A directory to be listed.
    private struct Directory {
      let url: URL
      /// With a slash at its end; empty for the root.
      let path: [UInt8]
      let position: PathPattern.Position?
      let depth: Int
    }

    private let entries: URLTreeEntries
    private var waiting: [Directory]
    private var current: (directory: Directory, entries: URLDirectoryEntries.AsyncIterator)?
    /// The directories found in the current one.
    private var found: [Directory] = []
    private var failures = TreeFailures()
    private var isFinished = false

    init(entries: URLTreeEntries) {
      self.entries = entries
      waiting = [Directory(url: entries.url, path: [], position: entries.pattern?.start, depth: 0)]
    }

    /// The next entry; nil at the end, when there were no more. After that, and after an error, there is nothing more.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws -> URLTreeEntry? {
      guard !isFinished else { return nil }
      // Until an entry is there nothing more comes: an error thrown from here is the end.
      isFinished = true
      while let directory = current?.directory ?? nextDirectory() {
        do {
          guard let entry = try await current?.entries.next(isolation: actor) else {
            waiting += exchange(&found, with: []).reversed()
            current = nil
            continue
          }
          guard let shown = take(entry, in: directory) else { continue }
          isFinished = false
          return shown
        } catch let error as URLError where directory.depth > 0 && TreeFailures.isOfOneItem(error) {
          failures.add(error)
          waiting += exchange(&found, with: []).reversed()
          current = nil
        }
      }
      if let error = failures.error("listed", entries.url) { throw error }
      return nil
    }

    private mutating func nextDirectory() -> Directory? {
      guard let directory = waiting.popLast() else { return nil }
      let listed = entries.session.entries(at: directory.url, delegate: entries.delegate)
      current = (directory, listed.makeAsyncIterator())
      return directory
    }

    /// - Returns: the entry, where it is one that was asked for.
    private mutating func take(_ entry: URLDirectoryEntry, in directory: Directory) -> URLTreeEntry? {
      let path = directory.path + entry.nameBytes
      let position = directory.position.flatMap { entries.pattern?.next($0, entry.name) }
      if entries.isRecursive, entry.kind == .unknown, position?.leadsOn != false {
        failures.add(
          URLError(
            .resourceUnavailable,
            message: "\(entry.url.redactedDescription) may be a directory: the server does not tell.", url: entry.url))
      }
      if entries.isRecursive, entry.kind == .directory, position?.leadsOn != false {
        if directory.depth < TreeWork.largestDepth, waiting.count + found.count < TreeWork.largestDirectoryCount {
          found.append(
            Directory(
              url: entry.url, path: path + [UInt8(ascii: "/")], position: position, depth: directory.depth + 1))
        } else {
          failures.add(
            URLError(
              .resourceUnavailable,
              message:
                "\(entry.url.redactedDescription) is not listed: the tree is too deep, or has too many directories.",
              url: entry.url))
        }
      }
      return position?.isMatch == false ? nil : URLTreeEntry(entry: entry, pathBytes: path)
    }
  }
}
