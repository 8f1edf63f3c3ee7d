internal import URLLoadingBase

/// Removes a directory with all that is in it: see ``TreeRemoval``.
struct TreeRemover {
  let session: URLSession
  let url: URL
  let delegate: (any URLSessionTaskDelegate)?

  /// What a directory's turn has come to.
  private enum Ended: Sendable {
    case listed(Int, directories: [URL], TreeFailures)
    case removed(Int, URLError?)
  }

  /// How often a directory is listed that is not empty then, since its server may leave out entries while others are removed.
  private static let largestListingCount = 5

  /// - Throws: the first failure, with the number of all, after what could be removed was.
  func carryOut() async throws {
    let work = TreeWork(session)
    var removal = TreeRemoval(url)
    var failures = TreeFailures()
    try await withThrowingTaskGroup(of: Ended.self) { group in
      var underWay = 0
      while true {
        let action = underWay < work.directoriesAtOnce ? removal.nextAction() : .wait
        switch action {
        case .empty(let number, let directory):
          group.addTask { try await empty(number, directory, work) }
          underWay += 1
        case .remove(let number, let directory):
          group.addTask { .removed(number, try await remove(directory, work)) }
          underWay += 1
        case .wait:
          guard let ended = try await group.next() else { return }
          underWay -= 1
          switch ended {
          case .listed(let number, let directories, let failed):
            failures.add(failed)
            removal.listed(number, directories: directories, keeps: failed.count > 0)
            guard removal.count <= TreeWork.largestDirectoryCount else {
              throw URLError(
                .dataLengthExceedsMaximum,
                message: "\(url.redactedDescription) has more than \(TreeWork.largestDirectoryCount) directories.",
                url: url)
            }
          case .removed(let number, let error):
            if let error { failures.add(error) }
            removal.removed(number, isGone: error == nil)
          }
        case .finished: return
        }
      }
    }
    if let error = failures.error("removed", url) { throw error }
  }

  /// Removes the files of a directory.
  private func empty(_ number: Int, _ directory: URL, _ work: TreeWork) async throws -> Ended {
    let found = Locked<[URL]>([])
    var (failures, listingError) = try await work.each(
      session.entries(at: directory, delegate: delegate), movesContents: false
    ) { entry in
      guard entry.kind != .directory else { return found.withLock { $0.append(entry.url) } }
      do {
        try await session.removeItem(at: entry.url, delegate: delegate)
      } catch let error as URLError where error.code == .fileDoesNotExist {
        // Another one has removed it.
      }
    }
    // One that was in the tree may be gone by now.
    if let error = listingError, error.code != .fileDoesNotExist || directory == url { failures.add(error) }
    return .listed(number, directories: found.withLock { $0 }, failures)
  }

  /// Removes a directory whose contents were removed. What was in none of its listings is removed then.
  /// - Returns: why it is there yet.
  private func remove(_ directory: URL, _ work: TreeWork) async throws -> URLError? {
    for count in 1... {
      do {
        try await session.removeItem(at: directory, delegate: delegate)
        return nil
      } catch let error as URLError where error.code == .fileDoesNotExist {
        return nil
      } catch let error as URLError where TreeFailures.isOfOneItem(error) {
        guard count < Self.largestListingCount,
          case .listed(_, let directories, let failures) = try await empty(0, directory, work), directories.isEmpty,
          failures.count == 0
        else { return error }
      }
    }
    return nil
  }

  /// What nobody means to remove with all that is in it.
  func refuseRoots() throws {
    let path = url.path(percentEncoded: false)
    let names = path.split(separator: "/").filter { $0 != "." }
    var isRoot = names.isEmpty || names.contains("..") || names == ["~"]
    if url.isFileURL {
      let real = url.resolvingSymlinksInPath().standardizedFileURL.path
      let homes = [NSHomeDirectory(), ProcessInfo.processInfo.environment["HOME"] ?? "/", "/", "/root", "/home"]
      isRoot =
        isRoot || homes.contains { URL(fileURLWithPath: $0).resolvingSymlinksInPath().standardizedFileURL.path == real }
    }
    guard !isRoot else {
      throw URLError(
        .cannotRemoveFile,
        message:
          "\(url.redactedDescription) is the root of a file system or of a server, a home directory, or has \"..\" in its path: it is not removed with all that is in it.",
        url: url)
    }
  }
}
