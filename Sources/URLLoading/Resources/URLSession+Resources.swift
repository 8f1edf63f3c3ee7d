/// What is done to what a URL names, beside loading and storing it. Each is a request like any other, whose method is the verb, so that a data
/// task, a handler or a delegate does the same.
extension ShadowableMembers where Self: URLSession {
  /// Removes a file, a link or an empty directory, over any scheme whose class carries out `DELETE`. What a server of HTTP removes with a
  /// collection is its own decision (RFC 4918, section 9.6.1, has it remove all that is in there).
  ///
  /// The errors are those of a load: `fileDoesNotExist` where there is nothing, `cannotRemoveFile` where the system or the server refuses,
  /// `unsupportedURL` where the class or the server does not carry out the method.
  /// - Parameters:
  ///   - url: what is removed. A link is not followed.
  ///   - delegate: called for challenges and so on; the session's for methods that it lacks.
  public func removeItem(at url: URL, delegate: (any URLSessionTaskDelegate)? = nil) async throws {
    try await carryOut(ResourceVerb.remove.request(url), .remove, delegate)
  }

  /// Makes a directory, over any scheme whose class carries out `MKCOL` (RFC 4918, section 9.3).
  ///
  /// The errors are those of a load: `cannotCreateFile` where there is something of that name, `fileDoesNotExist` where the directory that it
  /// would be in is not there, `unsupportedURL` where the class or the server does not carry out the method.
  /// - Parameters:
  ///   - url: the directory, with or without a slash at its end.
  ///   - createsIntermediates: also makes the directories on the way, and takes one that is there already for made, where the class can list
  ///     it. Those that were made stay where a later one fails.
  ///   - delegate: called for challenges and so on; the session's for methods that it lacks.
  public func createDirectory(
    at url: URL, withIntermediateDirectories createsIntermediates: Bool = false,
    delegate: (any URLSessionTaskDelegate)? = nil
  ) async throws {
    var path = DirectoryPath(url)
    while let next = path.next {
      do {
        try await carryOut(ResourceVerb.makeDirectory.request(next), .makeDirectory, delegate)
        path.made()
      } catch let error as URLError where createsIntermediates {
        switch error.code {
        case .fileDoesNotExist: guard path.lacksParent() else { throw error }
        // Another program may have made it meanwhile.
        case .cannotCreateFile:
          guard try await isDirectory(next, delegate) else { throw error }
          path.made()
        default: throw error
        }
      }
    }
  }

  /// Moves a file, a link or a directory to another URL of the same server, over any scheme whose class carries out `MOVE` (RFC 4918, section
  /// 9.9). Of `file` within one file system; of `ftp` and `ftps` a file that others create at the target in that moment may be replaced, since
  /// servers only tell what was there before.
  ///
  /// The errors are those of a load: `fileDoesNotExist` where there is nothing, or no directory for the target; `cannotMoveFile` where the
  /// target is there and is not to be replaced, a directory would be replaced by a file or moved into itself; `unsupportedURL` where the class
  /// or the server does not carry out the method, or the URLs are of different servers.
  /// - Parameters:
  ///   - source: what is moved. A link is not followed.
  ///   - target: its new URL, with the name.
  ///   - overwriting: whether a file of that name is replaced.
  ///   - delegate: called for challenges and so on; the session's for methods that it lacks.
  public func moveItem(
    from source: URL, to target: URL, overwriting: Bool = false, delegate: (any URLSessionTaskDelegate)? = nil
  ) async throws {
    try await carryOut(
      ResourceVerb.move.request(source, to: target, overwriting: overwriting), .move, delegate)
  }

  private func carryOut(
    _ request: URLRequest, _ verb: ResourceVerb, _ delegate: (any URLSessionTaskDelegate)?
  ) async throws {
    let response: URLResponse
    if isSubclassed {
      response = try await data(for: request, delegate: delegate).1
    } else {
      let task = data(request, owner: .waiter, delegate: delegate)
      await finish(task)
      response = try task.load.takeOutcome().loadedData().1
      if let error = verb.error(forAnswerTo: task.currentRequest?.httpMethod, response) { throw error }
    }
    if let response = response as? HTTPURLResponse, let error = verb.error(for: response) { throw error }
  }

  /// Whether a URL names a directory that can be listed.
  private func isDirectory(_ url: URL, _ delegate: (any URLSessionTaskDelegate)?) async throws -> Bool {
    do {
      // An empty one has no first entry, and no error either.
      for try await _ in entries(at: url, delegate: delegate) { break }
      return true
    } catch let error as URLError where error.code != .cancelled {
      return false
    }
  }
}
