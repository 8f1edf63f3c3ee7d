internal import URLLoadingBase

/// Copies a directory with all that is in it: the directory first, then its files, then the directories in it.
struct TreeCopier {
  let session: URLSession
  let source: URL
  let target: URL
  let overwrites: Bool
  let followsLinks: Bool
  let delegate: (any URLSessionTaskDelegate)?

  /// A directory and its copy.
  private struct Pair: Sendable {
    let source: URL
    let target: URL
    let depth: Int
    /// The directories that it is in, by their paths without links: a link that leads to one of them leads around. Of files of this machine,
    /// where links are followed.
    var ancestors: [String] = []
  }

  /// Links of servers that are followed may lead around.
  private static let largestDepthOfLinks = 40

  /// - Throws: the first failure, with the number of all, after what could be copied was.
  func carryOut() async throws {
    try refuseItself()
    var failures = TreeFailures()
    try await withThrowingTaskGroup(of: (found: [Pair], failures: TreeFailures).self) { group in
      let work = TreeWork(session)
      var waiting = [Pair(source: source, target: target, depth: 0)]
      var count = 1
      var underWay = 0
      while !waiting.isEmpty || underWay > 0 {
        while underWay < work.directoriesAtOnce, let pair = waiting.popLast() {
          group.addTask { try await copy(pair, work) }
          underWay += 1
        }
        guard let ended = try await group.next() else { break }
        underWay -= 1
        failures.add(ended.failures)
        waiting += ended.found.reversed()
        count += ended.found.count
        let known = followsLinks ? count : waiting.count
        guard known <= TreeWork.largestDirectoryCount else {
          throw URLError(
            .dataLengthExceedsMaximum,
            message: "\(source.redactedDescription) has more than \(TreeWork.largestDirectoryCount) directories.",
            url: source)
        }
      }
    }
    if let error = failures.error("copied", source) { throw error }
  }

  /// Copies the files of a directory.
  private func copy(_ pair: Pair, _ work: TreeWork) async throws -> (found: [Pair], failures: TreeFailures) {
    let found = Locked<[Pair]>([])
    do {
      let isOfLinks = followsLinks && !pair.source.isFileURL
      guard pair.depth < (isOfLinks ? Self.largestDepthOfLinks : TreeWork.largestDepth) else {
        throw URLError(
          .resourceUnavailable, message: "\(pair.source.redactedDescription) is too many directories deep.",
          url: pair.source)
      }
      var ancestors = pair.ancestors
      if followsLinks, pair.source.isFileURL {
        let real = Self.real(pair.source.path)
        guard !ancestors.contains(real) else {
          throw refusal(pair.source, "the link leads to a directory that it is in")
        }
        ancestors.append(real)
      }
      // One that is there is taken; what is in it and not in the source stays.
      try await session.makeDirectory(at: pair.target, like: pair.source, delegate)
      var (failures, listingError) = try await work.each(
        session.entries(at: pair.source, delegate: delegate), movesContents: true
      ) {
        [ancestors] entry in
        guard let own = URLDirectoryEntry(nameBytes: entry.nameBytes, in: pair.target, kind: entry.kind) else { return }
        switch try await kind(of: entry) {
        case .directory:
          let below = Pair(source: entry.url, target: own.url, depth: pair.depth + 1, ancestors: ancestors)
          found.withLock { $0.append(below) }
        case .file, .unknown:
          try await session.copyItem(from: entry.url, to: own.url, overwriting: overwrites, delegate: delegate)
        case .symbolicLink:
          throw refusal(entry.url, "it is a symbolic link, which is not followed unless that is asked for")
        case .other: throw refusal(entry.url, "it is neither a file nor a directory")
        }
      }
      if let listingError { failures.add(listingError) }
      return (found.withLock { $0 }, failures)
    } catch let error as URLError where TreeFailures.isOfOneItem(error) && pair.depth > 0 {
      var failures = TreeFailures()
      failures.add(error)
      return (found.withLock { $0 }, failures)
    }
  }

  /// What an entry is copied as.
  private func kind(of entry: URLDirectoryEntry) async throws -> URLDirectoryEntry.Kind {
    guard entry.kind == .symbolicLink, followsLinks else { return entry.kind }
    return try await session.isDirectory(entry.url, delegate) ? .directory : .file
  }

  private func refusal(_ url: URL, _ words: String) -> URLError {
    URLError(.cannotOpenFile, message: "\(url.redactedDescription) is not copied: \(words).", url: url)
  }

  /// A tree that is copied into itself would never end.
  private func refuseItself() throws {
    guard ResourceVerb.isOneServer(source, target) else { return }
    func names(_ url: URL) -> [String] {
      let path = url.isFileURL ? Self.real(url.standardized.path) : url.standardized.path(percentEncoded: false)
      return path.split(separator: "/").map { String($0) }
    }
    guard !names(target).starts(with: names(source)) else {
      throw URLError(
        .cannotCreateFile,
        message:
          "\(source.redactedDescription) cannot be copied to \(target.redactedDescription), which is itself or in it.",
        url: source)
    }
  }

  /// A path without links, as far as it is there.
  private static func real(_ path: String) -> String {
    var (existing, rest) = (path, "")
    while existing.count > 1 {
      if let found = realpath(existing, nil) {
        defer { free(found) }
        return String(cString: found) + rest
      }
      let parent = URL(fileURLWithPath: existing).deletingLastPathComponent().path
      rest = "/" + URL(fileURLWithPath: existing).lastPathComponent + rest
      existing = parent
    }
    return path
  }
}
