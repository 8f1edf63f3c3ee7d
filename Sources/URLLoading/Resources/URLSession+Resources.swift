internal import URLLoadingHTTPSemantics

/// What is done to what a URL names, beside loading and storing it. Each is a request like any other, whose method is the verb, so that a data
/// task, a handler or a delegate does the same.
extension ShadowableMembers where Self: URLSession {
  /// Tells what a URL names: kind, length, times, permissions, type and validators, as far as the source has them, by a `HEAD`.
  ///
  /// Classes that declare ``URLProtocol/Capabilities/resourceInfo`` (`file`, and those of plugins) tell of directories, too, and of a
  /// symbolic link itself. Of others it is a file where its head can be loaded, and a directory where they say so (`fileIsDirectory`).
  ///
  /// The errors are those of a load: `fileDoesNotExist` where there is nothing, `noPermissionsToReadFile`; `unsupportedURL` where the class or
  /// the server does not carry out `HEAD`.
  /// - Parameters:
  ///   - url: what is looked at.
  ///   - delegate: called for challenges and so on; the session's for methods that it lacks.
  public func resourceInfo(
    at url: URL, delegate: (any URLSessionTaskDelegate)? = nil
  ) async throws -> URLResourceInfo {
    try await look(at: url, wantsDigest: false, delegate)
  }

  /// - Parameter wantsDigest: whether a server of HTTP is asked for a digest, for which it may have to read all of the content.
  private func look(
    at url: URL, wantsDigest: Bool, _ delegate: (any URLSessionTaskDelegate)?
  ) async throws -> URLResourceInfo {
    var request = ResourceVerb.look.request(url)
    // The length in another coding says nothing of the content.
    if url.scheme?.lowercased().hasPrefix("http") == true {
      request.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
      // RFC 9530, section 4.
      if wantsDigest { request.setValue("sha-256=10", forHTTPHeaderField: "Want-Repr-Digest") }
    }
    let response: URLResponse
    do {
      response = try await carryOut(request, .look, delegate)
    } catch let error as URLError where error.code == .fileIsDirectory {
      // Some take a slash at the end for that, unasked.
      if url.path(percentEncoded: true).hasSuffix("/"), !describes(url) { try await list(url, delegate) }
      return URLResourceInfo(url: error.failingURL ?? url, kind: .directory)
    }
    return response.resourceInfo ?? URLResourceInfo(url: url, kind: .unknown)
  }

  /// Removes a file, a link or an empty directory, over any scheme whose class carries out `DELETE`; where asked, a directory with all that is
  /// in it. What a server of HTTP removes with a collection is its own decision (RFC 4918, section 9.6.1, has it remove all that is in
  /// there).
  ///
  /// The errors are those of a load: `fileDoesNotExist` where there is nothing, `cannotRemoveFile` where the system or the server refuses,
  /// `unsupportedURL` where the class or the server does not carry out the method. Of a tree all is removed that can be; the error is the
  /// first, with the number of all.
  /// - Parameters:
  ///   - url: what is removed. A link is not followed, nor are those in a tree.
  ///   - recursively: whether a directory is removed with all that is in it. The root of a file system or a server and a home directory are
  ///     refused then.
  ///   - delegate: called for challenges and so on; the session's for methods that it lacks.
  public func removeItem(
    at url: URL, recursively: Bool = false, delegate: (any URLSessionTaskDelegate)? = nil
  ) async throws {
    guard recursively else {
      try await carryOut(ResourceVerb.remove.request(url), .remove, delegate)
      return
    }
    // With a slash at its end a link would be what it leads to.
    let own = Self.withoutSlash(url)
    try TreeRemover(session: self, url: url, delegate: delegate).refuseRoots()
    let remover = TreeRemover(session: self, url: own, delegate: delegate)
    do {
      // What is no directory, or an empty one: a link, above all, which a listing would follow.
      try await carryOut(ResourceVerb.remove.request(own), .remove, delegate)
    } catch let refusal as URLError where refusal.code == .cannotRemoveFile {
      guard try await isDirectoryItself(own, delegate) else { throw refusal }
      try await remover.carryOut()
    }
  }

  /// HTTP has no links, and directories whose names end so.
  private static func withoutSlash(_ url: URL) -> URL {
    guard url.scheme?.lowercased().hasPrefix("http") != true, url.path(percentEncoded: true).count > 1,
      url.path(percentEncoded: true).hasSuffix("/"),
      var parts = URLComponents(url: url, resolvingAgainstBaseURL: true)
    else { return url }
    while parts.percentEncodedPath.count > 1, parts.percentEncodedPath.hasSuffix("/") {
      parts.percentEncodedPath.removeLast()
    }
    return parts.url ?? url
  }

  /// Whether the class of a URL tells what it itself names. In a session of a subclass, which may load otherwise, it is not asked.
  private func describes(_ url: URL) -> Bool {
    let request = ResourceVerb.look.request(url)
    let chosen = ProtocolRegistry.shared.protocolClass(for: request, configured: values.protocolClasses)
    return !isSubclassed && chosen?.capabilities.contains(.resourceInfo) == true
  }

  /// Fails where a URL names no directory that can be listed.
  private func list(_ url: URL, _ delegate: (any URLSessionTaskDelegate)?) async throws {
    do {
      // An empty one has no first entry, and no error either.
      for try await _ in entries(at: url, delegate: delegate) { break }
    } catch let error as URLError where error.code == .unsupportedURL {
      // The class cannot list, so what it says has to do.
    }
  }

  /// Whether a URL names a directory, and no link to one: where a `HEAD` follows links, a listing of the directory that it is in says so.
  private func isDirectoryItself(_ url: URL, _ delegate: (any URLSessionTaskDelegate)?) async throws -> Bool {
    if describes(url) { return try await resourceInfo(at: url, delegate: delegate).kind == .directory }
    let name = url.lastPathComponent
    do {
      for try await entry in entries(at: url.deletingLastPathComponent(), delegate: delegate) where entry.name == name {
        return entry.kind == .directory
      }
    } catch let error as URLError where Self.saysNothing(error) {
      // Nothing is known of it.
    }
    return false
  }

  /// Whether an error is about one item, or about what a scheme can do.
  private static func saysNothing(_ error: URLError) -> Bool {
    error.code == .unsupportedURL || TreeFailures.isOfOneItem(error)
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

  /// Makes a directory for the copy of another, or takes one that is there, and no link to one.
  func makeDirectory(
    at url: URL, like source: URL, _ delegate: (any URLSessionTaskDelegate)?
  ) async throws {
    let permissions = try await permissions(ofDirectory: source, delegate)
    do {
      try await carryOut(
        ResourceVerb.makeDirectory.request(url), .makeDirectory, permissions: permissions, delegate)
    } catch let error as URLError where error.code == .cannotCreateFile {
      guard try await isDirectoryItself(Self.withoutSlash(url), delegate) else { throw error }
    }
  }

  /// The permissions of a directory's copy, in which files are to be made; nil where there are none.
  private func permissions(
    ofDirectory url: URL, _ delegate: (any URLSessionTaskDelegate)?
  ) async throws -> UInt16? {
    guard describes(url) else { return nil }
    do {
      let info = try await resourceInfo(at: url, delegate: delegate)
      // Those of a link say nothing of what it leads to, which may be closed to others.
      guard info.kind != .symbolicLink else { return 0o700 }
      return info.permissions.map { $0 & 0o777 | 0o700 }
    } catch let error as URLError where TreeFailures.isOfOneItem(error) {
      // Its listing says what is wrong.
      return nil
    }
  }

  /// Copies a file to another URL, of whatever scheme; where asked, a directory with all that is in it.
  ///
  /// On one server, and in one file system, it is copied there where the class carries out `COPY` (RFC 4918, section 9.8); else it is loaded
  /// and stored as it comes, in pieces. Its modification date and permissions go along where both classes have them: less the mask of
  /// the process or the server; a file that is replaced keeps its own, a directory is open to its owner, and one that a link led to, to nobody
  /// else. Where the source's connection breaks, the rest of the same version is
  /// loaded, of sources with ranges and a strong validator. The target is whole when the
  /// function returns; how far one that fails can be seen under its name is up to the class that stores it.
  ///
  /// Of a tree all is copied that can be; the error is the first, with the number of all: of what could not be read, what the target cannot
  /// hold, and links and devices, which are left out. A directory that is there is taken, and what is in it stays unless it is replaced.
  ///
  /// The errors are those of the two loads: `fileDoesNotExist` where there is nothing, or no directory for the target; `fileIsDirectory` where
  /// the source is a directory; `cannotCreateFile` or `cannotWriteToFile` where the target is there and is not to be replaced;
  /// `unsupportedURL` where the class of the target does not store, or cannot keep the condition that it be new.
  /// - Parameters:
  ///   - source: what is copied. A link is followed, but at the root of a tree and in it where `followingLinks` is false. (A directory of
  ///     this machine that others replace by a link meanwhile is followed.)
  ///   - target: the copy's URL, with the name.
  ///   - overwriting: whether a file of that name is replaced. A directory does not replace a file, nor the reverse.
  ///   - recursively: whether a directory is copied with all that is in it.
  ///   - followingLinks: whether what the links of a tree lead to is copied in their place.
  ///   - delegate: called for both loads: of the copy's progress by `urlSession(_:task:didSendBodyData:…)`.
  public func copyItem(
    from source: URL, to target: URL, overwriting: Bool = false, recursively: Bool = false,
    followingLinks: Bool = false, delegate: (any URLSessionTaskDelegate)? = nil
  ) async throws {
    if recursively, try await isTree(source, followingLinks, delegate) {
      return try await TreeCopier(
        session: self, source: source, target: target, overwrites: overwriting, followsLinks: followingLinks,
        delegate: delegate
      ).carryOut()
    }
    try refuseItself(source, target, .cannotCreateFile)
    guard try await !copyAtOnce(source, target, overwriting, delegate) else { return }
    _ = try await ResourceCopy(
      session: self, source: source, target: target, overwrites: overwriting, delegate: delegate
    ).carryOut()
  }

  /// A file that is stored while it is loaded is lost.
  private func refuseItself(_ source: URL, _ target: URL, _ code: URLError.Code) throws {
    guard ResourceVerb.isOneServer(source, target) else { return }
    let paths = [source, target].map {
      $0.standardized.path(percentEncoded: false).split(separator: "/", omittingEmptySubsequences: true)
    }
    guard paths[0] != paths[1] || source.query(percentEncoded: true) != target.query(percentEncoded: true) else {
      throw URLError(
        code, message: "\(source.redactedDescription) cannot be copied to itself, or moved.", url: source)
    }
  }

  private func isTree(
    _ url: URL, _ followsLinks: Bool, _ delegate: (any URLSessionTaskDelegate)?
  ) async throws -> Bool {
    let kind = try await resourceInfo(at: url, delegate: delegate).kind
    guard kind == .symbolicLink else { return kind == .directory }
    guard followsLinks else {
      throw URLError(
        .cannotOpenFile,
        message: "\(url.redactedDescription) is a symbolic link, which is not followed unless that is asked for.",
        url: url)
    }
    return try await isDirectory(url, delegate)
  }

  /// - Returns: false where nobody does both ends at once.
  private func copyAtOnce(
    _ source: URL, _ target: URL, _ overwriting: Bool, _ delegate: (any URLSessionTaskDelegate)?
  ) async throws -> Bool {
    guard ResourceVerb.isOneServer(source, target) else { return false }
    let request = try ResourceVerb.copy.request(source, to: target, overwriting: overwriting)
    let configured = values.protocolClasses
    guard let chosen = ProtocolRegistry.shared.protocolClass(for: request, configured: configured) else { return false }
    let methods = chosen.capabilities.acceptedHTTPMethods
    // A class that takes whatever comes would load what it was to copy.
    // And a server of HTTP would remove a directory for what is to replace it (RFC 4918, section 9.8.4).
    let isHTTP = methods == nil && !overwriting && URLFacts(source).speaksHTTP
    guard isHTTP || methods?.contains("COPY") == true else { return false }
    do {
      try await carryOut(request, .copy, delegate)
      return true
    } catch let error as URLError where error.code == .unsupportedURL {
      return false
    }
  }

  /// Moves a file, a link or a directory to another URL of the same server, over any scheme whose class carries out `MOVE` (RFC 4918, section
  /// 9.9); a file also to another scheme, server or file system: it is copied, and removed where the copy is as long as it was, has the
  /// same digest where both servers tell one (RFC 9530), and the source is still what was copied. Of `ftp` and `ftps` a file that others create at the target in that moment may be replaced, since
  /// servers only tell what was there before.
  ///
  /// The errors are those of a load: `fileDoesNotExist` where there is nothing, or no directory for the target; `cannotMoveFile` where the
  /// target is there and is not to be replaced, a directory would be replaced by a file or moved into itself, something else than a file
  /// would have to be copied, or the copy is in doubt, when both are left; `unsupportedURL` where the class or the server does not carry out
  /// the method. Where it is copied they are also those of ``copyItem(from:to:overwriting:recursively:followingLinks:delegate:)`` and, where
  /// the source cannot be removed and the copy is left, `cannotRemoveFile`.
  /// - Parameters:
  ///   - source: what is moved. A link is not followed.
  ///   - target: its new URL, with the name.
  ///   - overwriting: whether a file of that name is replaced.
  ///   - delegate: called for challenges and so on; the session's for methods that it lacks.
  public func moveItem(
    from source: URL, to target: URL, overwriting: Bool = false, delegate: (any URLSessionTaskDelegate)? = nil
  ) async throws {
    if ResourceVerb.isOneServer(source, target) {
      // A server of HTTP would remove a directory for what is to replace it (RFC 4918, section 9.9.3).
      let isHTTP = URLFacts(source).speaksHTTP
      do {
        try await carryOut(
          ResourceVerb.move.request(source, to: target, overwriting: overwriting && !isHTTP), .move, delegate)
        return
      } catch let error as URLError where isHTTP && overwriting && error.code == .cannotMoveFile {
        // Something may be there, which is replaced where it is a file.
      } catch let error as URLError where (error.errorUserInfo[NSUnderlyingErrorKey] as? POSIXError)?.code == .EXDEV {
        // Two file systems, of which each has its part.
      }
    }
    try await moveByCopy(source, target, overwriting, delegate)
  }

  private func moveByCopy(
    _ source: URL, _ target: URL, _ overwriting: Bool, _ delegate: (any URLSessionTaskDelegate)?
  ) async throws {
    func refuse(_ words: String) -> URLError {
      URLError(
        .cannotMoveFile,
        message: "Cannot move \(source.redactedDescription) to \(target.redactedDescription): \(words).", url: source)
    }
    try refuseItself(source, target, .cannotMoveFile)
    let before = try await resourceInfo(at: source, delegate: delegate)
    // A server has a page for a directory, which it would remove with all that is in it.
    guard before.kind == .file, !before.url.path(percentEncoded: true).hasSuffix("/") else {
      throw refuse("between servers and file systems, files alone are moved")
    }
    guard before.size != nil, before.modificationDate != nil || before.validators.entityTag != nil else {
      throw refuse("its server tells no length or no version, so that nothing says whether it is what was copied")
    }
    if overwriting {
      do {
        let present = try await resourceInfo(at: target, delegate: delegate)
        guard present.kind == .file else { throw refuse("the target is there, and is no file") }
        let dates = [before, present].map { $0.modificationDate?.timeIntervalSince1970.rounded(.down) }
        // By another name of its server, or another way to it.
        guard present.size != before.size || dates[0] != dates[1] else {
          throw refuse("what is at the target has its length and date, and may be the same file")
        }
      } catch let error as URLError where error.code == .fileDoesNotExist {
        // Nothing is replaced.
      }
    }
    let copied = try await ResourceCopy(
      session: self, source: source, target: target, overwrites: overwriting, delegate: delegate
    ).carryOut()
    let copy = try await look(at: target, wantsDigest: true, delegate)
    guard let size = copy.size, size == copied.count, before.size == copied.count else {
      throw refuse(
        "the copy has \(copy.size.map { "\($0) bytes" } ?? "an unknown length"), \(copied.count) bytes were copied, and there were \(before.size ?? -1); both are left"
      )
    }
    let after = try await look(at: source, wantsDigest: true, delegate)
    guard copy.digests.allSatisfy({ name, digest in after.digests[name] ?? digest == digest }) else {
      throw refuse("the digests that the two servers tell are not the same; both are left")
    }
    // Whether a date is strong depends on when it was told.
    let versions = [before.validators, copied.validators, after.validators].map {
      [$0.entityTag, $0.lastModified] as [AnyHashable?]
    }
    guard versions[0] == versions[1], versions[1] == versions[2], after.size == before.size else {
      throw refuse("it was changed meanwhile; both are left")
    }
    var removal = ResourceVerb.remove.request(source)
    if source.scheme?.lowercased().hasPrefix("http") == true, let tag = after.validators.entityTag, tag.hasPrefix("\"")
    {
      removal.setValue(tag, forHTTPHeaderField: "If-Match")
    }
    try await carryOut(removal, .remove, delegate)
  }

  /// Stores a body that is read once.
  /// - Parameter permissions: those of a new file; nil for the default.
  func store(
    _ body: sending InputStream, _ request: URLRequest, _ permissions: UInt16?,
    _ delegate: (any URLSessionTaskDelegate)?
  ) async throws -> URLResponse {
    var plan = LoadPlan(request: request, kind: .upload, owner: .waiter, upload: .stream(body))
    plan.storedPermissions = permissions.map { $0 & 0o777 }
    let task = upload(plan, delegate: delegate)
    await finish(task)
    return try task.load.takeOutcome().loadedData().1
  }

  /// - Parameter permissions: those of what is made; nil for the default.
  @discardableResult
  private func carryOut(
    _ request: URLRequest, _ verb: ResourceVerb, permissions: UInt16? = nil,
    _ delegate: (any URLSessionTaskDelegate)?
  ) async throws -> URLResponse {
    let response: URLResponse
    if isSubclassed {
      response = try await data(for: request, delegate: delegate).1
    } else {
      let plan = LoadPlan(
        request: request, kind: .data, owner: .waiter, wantsInfo: verb == .look, storedPermissions: permissions)
      let task = data(plan, delegate: delegate)
      await finish(task)
      response = try task.load.takeOutcome().loadedData().1
      if let error = verb.error(forAnswerTo: task.currentRequest?.httpMethod, response) { throw error }
    }
    if let response = response as? HTTPURLResponse, let error = verb.error(for: response) { throw error }
    return response
  }

  /// Whether a URL names a directory, or a link to one.
  func isDirectory(_ url: URL, _ delegate: (any URLSessionTaskDelegate)?) async throws -> Bool {
    do {
      if describes(url) {
        switch try await resourceInfo(at: url, delegate: delegate).kind {
        case .directory: return true
        case .file, .other: return false
        case .symbolicLink, .unknown: break
        }
      }
      // An empty one has no first entry, and no error either.
      for try await _ in entries(at: url, delegate: delegate) { break }
      return true
    } catch let error as URLError where Self.saysNothing(error) {
      return false
    }
  }
}
