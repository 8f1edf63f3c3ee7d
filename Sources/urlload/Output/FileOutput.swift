import URLLoading
internal import URLLoadingBase

/// A file that gets its name only when it is whole. Until then its bytes are in a hidden file beside it, or in the ``PartFile`` of an
/// earlier load, which stays where it is; what is left of a load that fails is a ``PartFile``.
///
/// Mutable state: `state`, guarded by its lock, which is held while bytes are written: a signal must not keep a file that still grows.
final class FileOutput: Output {
  struct State {
    var descriptor: Int32 = -1
    /// The file that is written.
    var partial: String?
    /// Whether that is the part of an earlier load.
    var isInPlace = false
    /// That part, as long as its bytes are there.
    var adopted: PartFile?
    /// Where the record of that part begins now.
    var recordStart: Int64 = 0
    var hasChanged = false
    var directory = "."
    var name: String?
    var replaces = true
    var mode: mode_t?
    var written: Int64 = 0
    var record: PartFile.Record?
  }

  let state: Locked<State>

  /// A file at the user's path.
  /// - Parameter replaces: whether an existing one is replaced; else the name gets a number.
  init(path: String, replaces: Bool = true) throws(Failure) {
    let target = try FileTarget(path)
    // Another file stands beside a link, not beside what it points to.
    let place = replaces ? (directory: target.directory, name: target.name) : FileNames.split(path)
    state = Locked(
      State(directory: place.directory, name: place.name, replaces: replaces, mode: replaces ? target.mode : nil))
  }

  /// A file in a directory, named by the response; replaces no existing one.
  init(in directory: String) {
    state = Locked(State(directory: directory, replaces: false))
  }

  deinit { abandon() }

  var count: Int64 { state.withLock { $0.written } }
  var isFile: Bool { true }
  var name: String? { state.withLock { $0.name } }

  var path: String? {
    state.withLock { state in state.name.map { FileNames.path(of: $0, in: state.directory) } }
  }

  // MARK: Writing

  func begin(_ response: URLResponse, of url: URL, _ resumption: Resumption?) throws(Failure) {
    try state.withLock { state throws(Failure) in
      if state.written == 0 || state.record == nil { state.record = PartFile.Record(url, resumption) }
      if state.name == nil { state.name = FileNames.safe(response.suggestedFilename) }
      guard state.descriptor < 0 else { return }
      let (descriptor, path) = try PartialFiles.shared.create(in: state.directory, for: self)
      (state.descriptor, state.partial) = (descriptor, path)
      if let mode = state.mode { fchmod(descriptor, mode) }
    }
  }

  func write(_ data: Data) throws(Failure) {
    try state.withLock { state throws(Failure) in
      try state.makeRoom(for: Int64(data.count))
      do throws(Failure) {
        try DescriptorWriter.write(data, to: state.descriptor, state.name ?? "the file")
        state.written += Int64(data.count)
      } catch {
        // What came before the error is right.
        state.written = max(state.written, Int64(lseek(state.descriptor, 0, SEEK_CUR)))
        throw error
      }
    }
  }

  func restart() throws(Failure) {
    try state.withLock { state throws(Failure) in
      state.written = 0
      guard state.descriptor >= 0 else { return }
      guard ftruncate(state.descriptor, 0) == 0, lseek(state.descriptor, 0, SEEK_SET) == 0 else {
        throw Failure(writing: state.name ?? "the file", errno)
      }
      (state.adopted, state.recordStart, state.hasChanged) = (nil, 0, true)
    }
  }

  func finish(_ date: Date?) throws(Failure) {
    try state.withLock { state throws(Failure) in
      guard state.descriptor >= 0, let partial = state.partial, let name = state.name else { return }
      if state.isInPlace { try state.cutRecord() }
      if let times = FileNames.times(date) { futimens(state.descriptor, times) }
      try DescriptorWriter.checkClose(state.descriptor, name)
      for candidate in FileNames.candidates(for: name) {
        let target = FileNames.path(of: candidate, in: state.directory)
        guard try PartialFiles.shared.commit(partial, to: target, replaces: state.replaces) else { continue }
        close(state.descriptor)
        (state.name, state.descriptor, state.partial) = (candidate, -1, nil)
        if let record = state.record { PartFile.removeParts(of: record, named: name, in: state.directory) }
        return
      }
      throw Failure(writing: name, EEXIST)
    }
  }

  func abandon() {
    state.withLock { state in
      guard let partial = state.partial else { return }
      defer { state.release() }
      guard state.isInPlace else { return PartialFiles.shared.remove(partial) }
      guard state.hasChanged else { return }
      // The bytes of this load are not to be kept: those of the earlier one are.
      if let part = state.adopted, PartialFiles.shared.keepsParts {
        PartFile.close(state.descriptor, with: part.record, count: part.count, recordStart: state.recordStart)
      } else {
        PartialFiles.shared.remove(partial)
      }
    }
  }
}
