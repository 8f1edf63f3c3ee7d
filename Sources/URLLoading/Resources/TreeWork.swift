/// How much of the work on a tree is under way at once.
enum TreeWork {
  /// Directories.
  static let directoriesAtOnce = 8
  /// Files of one directory: what hides the way to a server that is 20 ms away.
  static let filesAtOnce = 32

  /// Calls a function for the elements that a sequence gives, several at once, and takes no more of them than that.
  /// - Returns: what could not be done, where it says something of one element alone.
  /// - Throws: the first other error, after which nothing more is begun.
  static func each<Elements: AsyncSequence & Sendable>(
    _ elements: Elements, atOnce limit: Int,
    _ work: @escaping @Sendable (Elements.Element) async throws -> Void
  ) async throws -> TreeFailures where Elements.Element: Sendable {
    try await withThrowingTaskGroup(of: URLError?.self) { group in
      var failures = TreeFailures()
      var underWay = 0
      func add(_ error: URLError??) {
        if case .some(.some(let error)) = error { failures.add(error) }
      }
      for try await element in elements {
        if underWay >= limit {
          add(try await group.next())
          underWay -= 1
        }
        group.addTask {
          do {
            try await work(element)
            return nil
          } catch let error as URLError where TreeFailures.isOfOneItem(error) {
            return error
          }
        }
        underWay += 1
      }
      while let ended = try await group.next() { add(ended) }
      return failures
    }
  }
}
