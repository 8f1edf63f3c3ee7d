/// A directory that is open for reading. Closes it when released.
// Safe to share: the position of `stream` is moved by `read` alone, which the steps of one pump call one after another.
final class OpenDirectory: @unchecked Sendable {
  private let stream: OpaquePointer
  private let url: URL

  /// Opens what a `file:` URL names; a link to a directory is followed.
  init(_ url: URL) throws(URLError) {
    self.url = url
    let path = try FilePath(url)
    let descriptor = open(path.characters, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      let reason = errno
      var status = stat()
      // The same answer as for a path that leads through a file, where there is nothing at its end.
      if reason == ENOTDIR, stat(path.characters, &status) == 0 { throw URLError.notDirectory(url) }
      throw OpenFile.failure(toOpen: url, reason)
    }
    guard let stream = fdopendir(descriptor) else {
      let reason = errno
      close(descriptor)
      throw OpenFile.failure(toOpen: url, reason)
    }
    self.stream = stream
  }

  deinit {
    closedir(stream)
  }

  /// The entries that follow.
  /// - Returns: at most so many; fewer at the end alone, where `isAtEnd` says so.
  func read(atMost count: Int) throws(URLError) -> (entries: [URLDirectoryEntry], isAtEnd: Bool) {
    var entries: [URLDirectoryEntry] = []
    entries.reserveCapacity(count)
    for _ in 0..<count {
      // readdir tells its end and its failure apart by errno alone.
      errno = 0
      guard let found = readdir(stream) else {
        guard errno == 0 else {
          throw URLError(
            .resourceUnavailable,
            message: "Cannot read on in the directory \(url.redactedDescription): \(String(cString: strerror(errno))).",
            url: url, underlying: POSIXErrorCode(rawValue: errno).map { POSIXError($0) })
        }
        return (entries, true)
      }
      let type = found.pointee.d_type
      let entry = withUnsafePointer(to: &found.pointee.d_name) { name in
        name.withMemoryRebound(to: CChar.self, capacity: 1) { self.entry(named: $0, type: type) }
      }
      if let entry { entries.append(entry) }
    }
    return (entries, false)
  }

  /// Nil for the directory itself and the one above, and for what was removed meanwhile.
  private func entry(named name: UnsafePointer<CChar>, type: UInt8) -> URLDirectoryEntry? {
    let bytes = UnsafeRawBufferPointer(start: name, count: strlen(name))
    var status = stat()
    guard fstatat(dirfd(stream), name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
      // One may read a directory's names without the right to look at what they name.
      guard errno != ENOENT else { return nil }
      return URLDirectoryEntry(nameBytes: bytes, in: url, kind: Self.kind(ofType: type))
    }
    let kind = Self.kind(ofMode: status.st_mode)
    return URLDirectoryEntry(
      nameBytes: bytes, in: url, kind: kind, size: kind == .file ? Int64(status.st_size) : nil,
      modificationDate: Self.modificationDate(status))
  }

  static func modificationDate(_ status: stat) -> Date {
    Date(
      timeIntervalSince1970: TimeInterval(status.st_mtim.tv_sec) + TimeInterval(status.st_mtim.tv_nsec) * 1e-9)
  }

  static func kind(ofMode mode: mode_t) -> URLDirectoryEntry.Kind {
    switch mode & S_IFMT {
    case S_IFREG: .file
    case S_IFDIR: .directory
    case S_IFLNK: .symbolicLink
    default: .other
    }
  }

  private static func kind(ofType type: UInt8) -> URLDirectoryEntry.Kind {
    switch Int(type) {
    case Int(DT_REG): .file
    case Int(DT_DIR): .directory
    case Int(DT_LNK): .symbolicLink
    case Int(DT_UNKNOWN): .unknown
    default: .other
    }
  }
}
