import URLLoading
internal import URLLoadingBase

/// A file that gets its name only when it is whole. Until then its bytes are in a hidden file beside it.
///
/// Mutable state: `state`, guarded by its lock.
final class FileOutput: Output {
  private struct State {
    var descriptor: Int32 = -1
    var partial: String?
    var directory = "."
    var name: String?
    var replaces = true
    var mode: mode_t?
    var written: Int64 = 0
  }

  private let state: Locked<State>

  /// A file at the user's path; replaces an existing one.
  init(path: String) throws(Failure) {
    var target = path
    var mode: mode_t?
    var status = stat()
    if stat(path, &status) == 0 {
      guard status.st_mode & S_IFMT != S_IFDIR else { throw Failure(writing: path, EISDIR) }
      // The rename must not replace a symbolic link.
      if let resolved = realpath(path, nil) {
        target = String(cString: resolved)
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

  /// A file in the current directory, named by the response; replaces no existing one.
  init() {
    state = Locked(State(replaces: false))
  }

  deinit { abandon() }

  var count: Int64 { state.withLock { $0.written } }
  var isFile: Bool { true }
  var name: String? { state.withLock { $0.name } }

  func begin(_ response: URLResponse) throws(Failure) {
    try state.withLock { state throws(Failure) in
      guard state.descriptor < 0 else { return }
      if state.name == nil { state.name = FileNames.safe(response.suggestedFilename) }
      let (descriptor, path) = try PartialFiles.shared.create(in: state.directory)
      (state.descriptor, state.partial) = (descriptor, path)
      if let mode = state.mode { fchmod(descriptor, mode) }
    }
  }

  func write(_ data: Data) throws(Failure) {
    let (descriptor, label) = state.withLock { ($0.descriptor, $0.name ?? "the file") }
    try DescriptorWriter.write(data, to: descriptor, label)
    state.withLock { $0.written += Int64(data.count) }
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

  func finish() throws(Failure) {
    let state = state.withLock { state in
      defer { state.descriptor = -1 }
      return state
    }
    guard state.descriptor >= 0, let partial = state.partial, let name = state.name else { return }
    guard close(state.descriptor) == 0 else { throw Failure(writing: name, errno) }
    for candidate in FileNames.candidates(for: name) {
      let target = state.directory == "/" ? "/\(candidate)" : "\(state.directory)/\(candidate)"
      guard try PartialFiles.shared.commit(partial, to: target, replaces: state.replaces) else { continue }
      self.state.withLock { $0.name = candidate }
      return
    }
    throw Failure(writing: name, EEXIST)
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
