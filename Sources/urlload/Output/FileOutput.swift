import URLLoading
internal import URLLoadingBase

/// A file that gets its name only when it is whole. Until then its bytes are in a hidden file beside it; what is left of a load that fails
/// is a ``PartFile``.
///
/// Mutable state: `state`, guarded by its lock, which is held while bytes are written: a signal must not keep a file that still grows.
final class FileOutput: Output {
  private struct State {
    var descriptor: Int32 = -1
    var partial: String?
    var directory = "."
    var name: String?
    var replaces = true
    var mode: mode_t?
    var written: Int64 = 0
    var record: PartFile.Record?
  }

  private let state: Locked<State>
  /// `UTIME_OMIT` of Linux, whose definition Swift cannot import.
  private static let unchanged = (1 << 30) - 2

  /// A file at the user's path; replaces an existing one.
  init(path: String) throws(Failure) {
    var target = path
    var mode: mode_t?
    var status = stat()
    if stat(path, &status) == 0 {
      guard status.st_mode & S_IFMT != S_IFDIR else { throw Failure(writing: path, EISDIR) }
      // The rename must not replace a symbolic link.
      if let resolved = realpath(path, nil) {
        if !Self.isPlain(path) { target = String(cString: resolved) }
        free(resolved)
      }
      mode = status.st_mode & 0o777
    }
    let slash = target.lastIndex(of: "/")
    let directory = slash.map { $0 == target.startIndex ? "/" : String(target[..<$0]) } ?? "."
    let name = slash.map { String(target[target.index(after: $0)...]) } ?? target
    guard !name.isEmpty else { throw Failure(writing: path, EISDIR) }
    state = Locked(State(directory: directory, name: name, mode: mode))
  }

  /// Whether the path names a file itself, and no link to one.
  private static func isPlain(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFLNK
  }

  /// A file in a directory, named by the response; replaces no existing one.
  init(in directory: String) {
    state = Locked(State(directory: directory, replaces: false))
  }

  deinit { abandon() }

  var count: Int64 { state.withLock { $0.written } }
  var isFile: Bool { true }
  var name: String? { state.withLock { $0.name } }

  // MARK: Parts

  /// Whether there is a file of that name already.
  var exists: Bool {
    state.withLock { state in
      state.name.map { access(Self.path(of: $0, in: state.directory), F_OK) == 0 } ?? false
    }
  }

  /// The part of a URL that an earlier load has left.
  func part(of url: URL) -> PartFile? {
    let (directory, name) = state.withLock { ($0.directory, $0.name) }
    guard let name else { return PartFile.find(url, in: directory) }
    return PartFile(path: PartFile.path(of: name, in: directory))
  }

  /// Goes on with a part file, which is this one's from now on.
  func adopt(_ part: PartFile) throws(Failure) {
    try state.withLock { state throws(Failure) in
      let (descriptor, path) = try PartialFiles.shared.create(in: state.directory, for: self, from: part.path)
      (state.descriptor, state.partial, state.record) = (descriptor, path, part.record)
      guard ftruncate(descriptor, off_t(part.count)) == 0, lseek(descriptor, 0, SEEK_END) >= 0 else {
        throw Failure(writing: part.path, errno)
      }
      state.written = part.count
    }
  }

  /// Begins with the first bytes of the file that is there.
  func copyBeginning(_ count: Int64) throws(Failure) {
    try state.withLock { state throws(Failure) in
      let path = Self.path(of: state.name ?? "", in: state.directory)
      let source = open(path, O_RDONLY | O_CLOEXEC)
      guard source >= 0 else { throw Failure(reading: path, errno) }
      defer { close(source) }
      var status = stat()
      guard fstat(source, &status) == 0, Int64(status.st_size) >= count else {
        throw Failure(
          .usage, "the file has only \(status.st_size) bytes, less than -C \(count)", path,
          advice: "give the number of bytes that are right in it")
      }
      let (descriptor, partial) = try PartialFiles.shared.create(in: state.directory, for: self)
      (state.descriptor, state.partial) = (descriptor, partial)
      if let mode = state.mode { fchmod(descriptor, mode) }
      var buffer = [UInt8](repeating: 0, count: 1 << 18)
      while state.written < count {
        let new = read(source, &buffer, min(buffer.count, Int(count - state.written)))
        if new < 0, errno == EINTR { continue }
        guard new > 0 else { throw Failure(reading: path, errno) }
        try DescriptorWriter.write(buffer[..<new], to: descriptor, path)
        state.written += Int64(new)
      }
    }
  }

  func keep() -> KeptPart? {
    state.withLock { state in
      guard state.descriptor >= 0, let partial = state.partial, let name = state.name else { return nil }
      defer {
        close(state.descriptor)
        PartialFiles.shared.remove(partial)
        (state.descriptor, state.partial, state.written) = (-1, nil, 0)
      }
      guard state.written > 0, let record = state.record else { return nil }
      let path = PartFile.path(of: name, in: state.directory)
      do throws(Failure) {
        try PartFile.close(state.descriptor, with: record)
        // Renamed by hand: a signal has closed the registry.
        guard rename(partial, path) == 0 else { return nil }
      } catch {
        return nil
      }
      return KeptPart(path: path, count: state.written, isResumable: record.resumption != nil)
    }
  }

  // MARK: Writing

  func begin(_ response: URLResponse, _ resumption: Resumption?) throws(Failure) {
    try state.withLock { state throws(Failure) in
      if state.written == 0 || state.record == nil, let url = response.url {
        state.record = PartFile.Record(url, resumption)
      }
      if state.name == nil { state.name = FileNames.safe(response.suggestedFilename) }
      guard state.descriptor < 0 else { return }
      let (descriptor, path) = try PartialFiles.shared.create(in: state.directory, for: self)
      (state.descriptor, state.partial) = (descriptor, path)
      if let mode = state.mode { fchmod(descriptor, mode) }
    }
  }

  func write(_ data: Data) throws(Failure) {
    try state.withLock { state throws(Failure) in
      try DescriptorWriter.write(data, to: state.descriptor, state.name ?? "the file")
      state.written += Int64(data.count)
    }
  }

  func restart() throws(Failure) {
    try state.withLock { state throws(Failure) in
      state.written = 0
      guard state.descriptor >= 0 else { return }
      guard ftruncate(state.descriptor, 0) == 0, lseek(state.descriptor, 0, SEEK_SET) == 0 else {
        throw Failure(writing: state.name ?? "the file", errno)
      }
    }
  }

  func finish(_ date: Date?) throws(Failure) {
    let state = state.withLock { state in
      defer { state.descriptor = -1 }
      return state
    }
    guard state.descriptor >= 0, let partial = state.partial, let name = state.name else { return }
    if let seconds = date?.timeIntervalSince1970, abs(seconds) < 1e12 {
      let time = timespec(tv_sec: Int(seconds.rounded(.down)), tv_nsec: 0)
      let times = [timespec(tv_sec: 0, tv_nsec: Self.unchanged), time]
      futimens(state.descriptor, times)
    }
    guard close(state.descriptor) == 0 else { throw Failure(writing: name, errno) }
    for candidate in FileNames.candidates(for: name) {
      let target = Self.path(of: candidate, in: state.directory)
      guard try PartialFiles.shared.commit(partial, to: target, replaces: state.replaces) else { continue }
      self.state.withLock { $0.name = candidate }
      // The part that an earlier load has left is part of nothing now.
      let part = PartFile.path(of: name, in: state.directory)
      if PartFile(path: part) != nil { unlink(part) }
      return
    }
    throw Failure(writing: name, EEXIST)
  }

  private static func path(of name: String, in directory: String) -> String {
    directory == "/" ? "/\(name)" : "\(directory)/\(name)"
  }

  func abandon() {
    let (descriptor, partial) = state.withLock { state in
      defer {
        state.descriptor = -1
        state.partial = nil
        state.written = 0
      }
      return (state.descriptor, state.partial)
    }
    if descriptor >= 0 { close(descriptor) }
    if let partial { PartialFiles.shared.remove(partial) }
  }
}
