/// How much of the work on a tree is under way at once.
struct TreeWork {
  /// Files of one directory: what hides the way to a server that is 20 ms away.
  static let filesAtOnce = 32
  /// No file system has paths of so many names, but a server may tell of them without end.
  static let largestDepth = 1000
  /// Directories that are known and not done. A server may tell of them without end, too.
  static let largestDirectoryCount = 1_000_000

  /// Directories that are listed at once. Each may hold a connection while what is in it waits for others.
  let directoriesAtOnce: Int
  /// Whether a listing has to come to its end first, since it holds the only connection.
  private let listsFirst: Bool

  init(_ session: URLSession) {
    let connections = session.values.httpMaximumConnectionsPerHost
    directoriesAtOnce = connections > 0 ? min(8, max(1, connections / 2)) : 8
    listsFirst = connections == 1
  }

  /// Calls a function for the entries of a directory, several at once, and takes no more of them than that.
  /// - Returns: what could not be done, where it says something of one item alone, and why the listing has ended ahead of its end.
  /// - Throws: the first other error, after which nothing more is begun.
  func each(
    _ entries: URLDirectoryEntries, _ work: @escaping @Sendable (URLDirectoryEntry) async throws -> Void
  ) async throws -> (failures: TreeFailures, listing: URLError?) {
    try await withThrowingTaskGroup(of: URLError?.self) { group in
      var failures = TreeFailures()
      var underWay = 0
      func add(_ ended: URLError??) {
        if case .some(.some(let error)) = ended { failures.add(error) }
      }
      func begin(_ entry: URLDirectoryEntry) async throws {
        if underWay >= Self.filesAtOnce {
          add(try await group.next())
          underWay -= 1
        }
        group.addTask {
          do {
            try await work(entry)
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
      while let ended = try await group.next() { add(ended) }
      return (failures, listingError)
    }
  }
}
