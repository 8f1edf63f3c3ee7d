/// How much of the work on a tree is under way at once.
struct TreeWork {
  /// Units of work on files at once, of which a small file takes one: what hides the way to a server that is 20 ms away, where a copy takes
  /// three round trips; and few enough for the files that a process may have open, with two for each.
  private static let capacity = 256
  /// Units of a file that is not known to be small, and so may have some MB of its contents on the way.
  private static let unitsOfLargeFile = 8
  /// Bytes of a file that is small.
  private static let largestSmallFile = 64 << 10
  /// No file system has paths of so many names, but a server may tell of them without end.
  static let largestDepth = 1000
  /// Directories that are known and not done. A server may tell of them without end, too.
  static let largestDirectoryCount = 1_000_000

  /// Directories that are listed at once. Each may hold a connection while what is in it waits for others.
  let directoriesAtOnce: Int
  private let limit = WorkLimit(capacity)
  /// Whether a listing has to come to its end first, since it holds the only connection.
  private let listsFirst: Bool

  init(_ session: URLSession) {
    let connections = session.values.httpMaximumConnectionsPerHost
    directoriesAtOnce = connections > 0 ? min(8, max(1, connections / 2)) : 8
    listsFirst = connections == 1
  }

  /// Calls a function for the entries of a directory, several at once, and takes no more of them than that.
  /// - Parameter movesContents: whether the contents of files are moved.
  /// - Returns: what could not be done, where it says something of one item alone, and why the listing has ended ahead of its end.
  /// - Throws: the first other error, after which nothing more is begun.
  func each(
    _ entries: URLDirectoryEntries, movesContents: Bool,
    _ work: @escaping @Sendable (URLDirectoryEntry) async throws -> Void
  ) async throws -> (failures: TreeFailures, listing: URLError?) {
    try await withThrowingTaskGroup(of: URLError?.self) { group in
      var failures = TreeFailures()
      var underWay = 0
      func end(_ error: URLError?) {
        underWay -= 1
        if let error { failures.add(error) }
      }
      func begin(_ entry: URLDirectoryEntry) async throws {
        if underWay >= Self.capacity, let ended = try await group.next() { end(ended) }
        let units = movesContents ? Self.units(entry) : 1
        group.addTask {
          do {
            try await limit.run(units) { try await work(entry) }
            return nil
          } catch let error as URLError where TreeFailures.isOfOneItem(error) {
            return error
          }
        }
        underWay += 1
      }
      var listed: [URLDirectoryEntry] = []
      var listingError: URLError?
      do {
        for try await entry in entries {
          if listsFirst { listed.append(entry) } else { try await begin(entry) }
        }
      } catch let error as URLError where TreeFailures.isOfOneItem(error) {
        // What is under way is not given up for that.
        listingError = error
      }
      for entry in listed { try await begin(entry) }
      while let ended = try await group.next() { end(ended) }
      return (failures, listingError)
    }
  }

  private static func units(_ entry: URLDirectoryEntry) -> Int {
    if entry.kind == .directory { return 1 }
    guard let size = entry.size, size <= largestSmallFile else { return unitsOfLargeFile }
    return 1
  }
}
