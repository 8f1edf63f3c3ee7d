internal import URLLoadingBase
internal import URLLoadingCLinux

/// What a request does to files beside loading and storing one: `DELETE`, and RFC 4918's `MKCOL`, `MOVE` and `COPY`.
///
/// Links are not followed but by a copy, which has what they lead to, as a load has.
struct FileChange {
  private enum Verb {
    case remove
    case makeDirectory(permissions: mode_t)
    case move(Target)
    case copy(Target)
  }

  /// Where something is moved or copied to.
  private struct Target {
    let path: FilePath
    let url: URL
  }

  private let verb: Verb
  /// Whether a file at the destination may be replaced.
  private let replaces: Bool
  private let path: FilePath
  private let url: URL

  /// - Parameter permissions: those of a directory that is made, less the process's mask; nil for the default.
  /// - Returns: nil for a method that does something else.
  init?(_ request: URLRequest, _ permissions: UInt16? = nil) throws(URLError) {
    guard let url = request.url else { return nil }
    switch request.httpMethod {
    case "DELETE": verb = .remove
    case "MKCOL": verb = .makeDirectory(permissions: permissions.map { mode_t($0 & 0o777) } ?? 0o777)
    case "MOVE": verb = .move(try Self.target(of: request, "MOVE"))
    case "COPY": verb = .copy(try Self.target(of: request, "COPY"))
    default: return nil
    }
    replaces = try ChangeConditions.replaces(request)
    path = try Self.path(of: url)
    self.url = url
  }

  /// RFC 4918, section 10.3.
  private static func target(of request: URLRequest, _ method: String) throws(URLError) -> Target {
    guard let text = request.value(forHTTPHeaderField: "Destination") else {
      throw URLError(
        .badURL, message: "\(method) needs the URL of its target in the field Destination (RFC 4918, section 10.3).",
        url: request.url)
    }
    guard let url = URL(string: text), url.isFileURL else {
      throw URLError(
        .badURL,
        message:
          "\(method) takes a file: URL as its Destination, not \"\(URL.redactedDescription(of: text))\"; between schemes something is loaded and stored.",
        url: request.url)
    }
    return Target(path: try path(of: url), url: url)
  }

  /// What is removed or replaced is named in full: a question mark that was not written %3F would name another file.
  private static func path(of url: URL) throws(URLError) -> FilePath {
    guard url.query(percentEncoded: true) == nil, url.path(percentEncoded: true).hasPrefix("/") else {
      throw URLError(
        .badURL,
        message:
          "\(url.redactedDescription) is no absolute path without a query; a question mark in a file's name is written %3F.",
        url: url)
    }
    return try FilePath(url)
  }

  // MARK: What takes one step

  /// - Returns: whether that was all; false where contents are to be copied.
  func carryOut() throws(URLError) -> Bool {
    switch verb {
    case .remove: try remove()
    case .makeDirectory(let permissions):
      guard mkdir(path.characters, permissions) == 0 else {
        throw failure("make the directory", .cannotCreateFile, errno)
      }
    case .move(let target):
      // Of two names of one file rename(2) says that it has moved it, and leaves both.
      guard !isSameFile(as: target) else { throw failure("move", .cannotMoveFile, ELOOP, to: target) }
      let result =
        replaces
        ? rename(path.characters, target.path.characters)
        : rename_to_new(path.characters, target.path.characters)
      guard result == 0 else { throw failure("move", .cannotMoveFile, errno, to: target) }
    case .copy: return false
    }
    return true
  }

  private func isSameFile(as target: Target) -> Bool {
    var (own, other) = (stat(), stat())
    return lstat(path.characters, &own) == 0 && lstat(target.path.characters, &other) == 0 && own.st_dev == other.st_dev
      && own.st_ino == other.st_ino
  }

  /// Removes a file, a link or an empty directory.
  private func remove() throws(URLError) {
    guard unlink(path.characters) != 0 else { return }
    var reason = errno
    // What Linux says of a directory, and what POSIX has for one.
    if reason == EISDIR || reason == EPERM {
      guard rmdir(path.characters) != 0 else { return }
      if errno != ENOTDIR { reason = errno }
    }
    throw failure("remove", .cannotRemoveFile, reason)
  }

  // MARK: Copying

  /// The file to copy.
  func source() throws(URLError) -> OpenFile {
    let file = try OpenFile(reading: url)
    guard file.isRegular else {
      throw URLError(
        .cannotOpenFile, message: "Cannot copy \(url.redactedDescription): it is not a regular file.", url: url)
    }
    return file
  }

  /// Makes the file that is written first.
  func makeTarget(of source: OpenFile, _ record: UnfinishedUploads) throws(URLError) -> UploadTarget? {
    guard case .copy(let target) = verb else { return nil }
    guard let text = target.path.text else {
      throw URLError(.badURL, message: "The name of a file to store must be UTF-8.", url: target.url)
    }
    var (own, other) = (stat(), stat())
    if fstat(source.descriptor, &own) == 0, stat(target.path.characters, &other) == 0 {
      guard own.st_dev != other.st_dev || own.st_ino != other.st_ino else { throw copyFailure(ELOOP) }
    }
    guard replaces || lstat(target.path.characters, &other) != 0 else { throw copyFailure(EEXIST) }
    do throws(POSIXError) {
      return try UploadTarget.make(text, record, permissions: own.st_mode & 0o777)
    } catch {
      throw copyFailure(error.code.rawValue)
    }
  }

  /// The copy is whole: it has its name, and its source's times.
  func commit(_ copy: UploadTarget, _ source: OpenFile) throws {
    var status = stat()
    guard fstat(source.descriptor, &status) == 0 else { throw POSIXError.ofLastCall }
    // Of files below /proc the size says nothing.
    guard !source.hasLength || copy.written == source.length && Int64(status.st_size) == source.length else {
      throw POSIXError(.ESTALE)
    }
    try copy.commit(replacing: replaces, times: (status.st_atim, status.st_mtim))
  }

  // MARK: Errors

  /// - Parameter isTorn: whether a target that is written in place is not whole.
  func copyFailure(_ reason: Int32, isTorn: Bool = false) -> URLError {
    let target: Target? = if case .copy(let target) = verb { target } else { nil }
    return failure(
      "copy", .cannotCreateFile, reason, to: target,
      remark: isTorn ? " The target was written in place, and is not whole now." : "")
  }

  private func failure(
    _ action: String, _ code: URLError.Code, _ reason: Int32, to target: Target? = nil, remark: String = ""
  ) -> URLError {
    let place = target.map { " to \($0.url.redactedDescription)" } ?? ""
    return URLError(
      reason == ENOENT ? .fileDoesNotExist : code,
      message:
        "Cannot \(action) \(url.redactedDescription)\(place): \(Self.words(for: reason, hasTarget: target != nil)).\(remark)",
      url: url, underlying: POSIXErrorCode(rawValue: reason).map { POSIXError($0) })
  }

  private static func words(for reason: Int32, hasTarget: Bool) -> String {
    switch (reason, hasTarget) {
    case (ENOENT, true): "there is no such file, or no directory for the target"
    case (ENOENT, false): "there is no such file, or no directory for it"
    case (EEXIST, true): "there is something at the target, which is not to be replaced"
    case (EEXIST, false): "there is something of that name"
    case (ENOTEMPTY, _): "the directory is not empty"
    case (EINVAL, true): "the target is in the directory that would be moved, or the file system cannot do it"
    case (ELOOP, true): "the target is the same file"
    case (EXDEV, _): "the target is on another file system: copy it, and remove it then"
    case (EISDIR, _): "a directory is not replaced by a file"
    case (ENOTDIR, true): "a file is not replaced by a directory, nor is it one"
    case (ENOTDIR, false): "something on the way is a file, not a directory"
    case (ESTALE, true): "it was changed meanwhile"
    default: String(cString: strerror(reason))
    }
  }
}
