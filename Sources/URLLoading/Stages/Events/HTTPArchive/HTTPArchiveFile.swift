internal import URLLoadingBase
internal import URLLoadingCLinux

/// A file of entries that is whole JSON at any moment, also where the process is killed in the middle of a write.
///
/// There are two files in the same directory, of which one has the name and the other, hidden, lacks the entry that was added last. An
/// entry is added to the hidden one, after that which it lacks; then the two exchange their names in one step of the file system
/// (`renameat2`). A write of more than a page is not such a step: a signal that kills the process ends it in the middle.
///
/// What is in memory is one entry. Where the file system cannot exchange names (NFS), entries are written in place.
///
/// Of two objects for one file, the one that was made last has it: the other neither adds to it nor removes what is hidden beside it.
///
/// Mutable state: all; the writer that owns the file calls it under its lock. The two names are guarded by `names`, for all files.
final class HTTPArchiveFile {
  /// An open file, and where its next entry goes.
  private struct Part {
    var descriptor: Int32
    var end: Int
  }

  private let path: String
  private let hiddenPath: String
  private var named: Part
  /// Nil where entries are written in place.
  private var hidden: Part?
  /// What the hidden file lacks.
  private var lag = Data()
  private var isEmpty = true

  /// Held from the check whose file has the hidden name to what is done with it.
  private static let names = Locked(())
  private static let trailer = Data("\n]}}\n".utf8)

  /// Makes the file, in the place of one that is there.
  /// - Parameter header: all up to the bracket after which the entries come.
  init(path: String, header: Data) throws(HTTPArchiveError) {
    var status = stat()
    if stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
      throw HTTPArchiveError(path, "it is no regular file")
    }
    self.path = path
    let url = URL(fileURLWithPath: path)
    hiddenPath = url.deletingLastPathComponent().appending(component: ".\(url.lastPathComponent).next").path
    (named, hidden) = try Self.begin(path, hiddenPath, header)
  }

  deinit {
    Self.close(named)
    guard let hidden else { return }
    removeHiddenFile()
    Self.close(hidden)
  }

  /// Adds an entry. What fails leaves the file as it was.
  func append(_ entry: Data) throws(HTTPArchiveError) {
    let addition = Data((isEmpty ? "\n" : ",\n").utf8) + entry
    guard var next = hidden else { return try appendInPlace(addition) }
    try write(lag + addition, to: &next)
    guard try exchangeNames() else {
      removeHiddenFile()
      Self.close(next)
      hidden = nil
      return try appendInPlace(addition)
    }
    (hidden, named) = (named, next)
    (lag, isEmpty) = (addition, false)
  }

  private func appendInPlace(_ addition: Data) throws(HTTPArchiveError) {
    guard DescriptorIO.isFile(named.descriptor, at: path) else { throw replaced(path) }
    try write(addition, to: &named)
    isEmpty = false
  }

  /// Gives the hidden file the name, and the other one the hidden name.
  /// - Returns: false where the file system cannot do that.
  private func exchangeNames() throws(HTTPArchiveError) -> Bool {
    try Self.names.withLock { _ throws(HTTPArchiveError) in
      guard hasHiddenName else { throw replaced(hiddenPath) }
      if exchange_names(hiddenPath, path) == 0 { return true }
      guard errno == EINVAL || errno == ENOSYS else { throw HTTPArchiveError(path, errno) }
      return false
    }
  }

  private func removeHiddenFile() {
    Self.names.withLock { _ in
      if hasHiddenName { unlink(hiddenPath) }
    }
  }

  private func replaced(_ missing: String) -> HTTPArchiveError {
    HTTPArchiveError(path, "another archive has taken its place, or \(missing) was removed")
  }

  private var hasHiddenName: Bool {
    hidden.map { DescriptorIO.isFile($0.descriptor, at: hiddenPath) } ?? false
  }

  /// Writes entries and the end of the file after them.
  private func write(_ bytes: Data, to part: inout Part) throws(HTTPArchiveError) {
    let whole = bytes + Self.trailer
    guard Self.write(whole, to: part), ftruncate(part.descriptor, part.end + whole.count) == 0 else {
      throw HTTPArchiveError(path, errno)
    }
    part.end += bytes.count
  }

  /// Makes the two files.
  private static func begin(
    _ path: String, _ hiddenPath: String, _ header: Data
  ) throws(HTTPArchiveError) -> (named: Part, hidden: Part) {
    try names.withLock { _ throws(HTTPArchiveError) in
      let named = try make(hiddenPath, header)
      do throws(HTTPArchiveError) {
        guard rename(hiddenPath, path) == 0 else {
          let error = HTTPArchiveError(path, errno)
          unlink(hiddenPath)
          throw error
        }
        return (named, try make(hiddenPath, header))
      } catch {
        close(named)
        throw error
      }
    }
  }

  private static func make(_ path: String, _ header: Data) throws(HTTPArchiveError) -> Part {
    // One that is there, of a process that was killed or of somebody else, would keep its owner and mode.
    unlink(path)
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw HTTPArchiveError(path, errno) }
    let part = Part(descriptor: descriptor, end: 0)
    guard write(header + trailer, to: part) else {
      let error = HTTPArchiveError(path, errno)
      close(part)
      unlink(path)
      throw error
    }
    return Part(descriptor: descriptor, end: header.count)
  }

  private static func write(_ bytes: Data, to part: Part) -> Bool {
    bytes.withUnsafeBytes { DescriptorIO.write($0, to: part.descriptor, at: Int64(part.end)) }
  }

  private static func close(_ part: Part) { Glibc.close(part.descriptor) }
}
