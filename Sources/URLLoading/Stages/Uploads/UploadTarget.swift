import Glibc
internal import URLLoadingBase
internal import URLLoadingCLinux

/// Where an upload to a file goes: a temporary file beside the target, which is renamed to the target when it is whole.
///
/// Links are followed: the file that they name is replaced. A file keeps its permissions, owner and group. Written in place are a file
/// whose owner or group cannot be set, and one that does not exist behind a link.
///
/// Mutable state: `state`, guarded by its lock.
final class UploadTarget: Sendable {
  private struct State {
    var descriptor: Int32
    var written: Int64 = 0
    /// The target is written in place, and not whole.
    var isTorn = false
    /// Committed or discarded.
    var isOver = false
  }

  /// `UTIME_OMIT` of Linux, whose definition Swift cannot import: a time that stays as it is.
  static let unchanged = (1 << 30) - 2

  private let state: Locked<State>
  /// Nil where the target itself is written.
  private let temporary: String?
  private let path: String
  private let record: UnfinishedUploads
  private let mark: UnfinishedUploads.Mark

  /// Makes the file that is written first.
  /// - Parameter permissions: those of a new file, less the process's mask.
  static func make(
    _ path: String, _ record: UnfinishedUploads, permissions: mode_t = 0o666
  ) throws(POSIXError) -> UploadTarget {
    var status = stat()
    guard stat(path, &status) == 0 else { return try makeNew(path, record, permissions) }
    // Neither a folder nor a device can be replaced by a file.
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw POSIXError(status.st_mode & S_IFMT == S_IFDIR ? .EISDIR : .EPERM)
    }
    guard let target = realpath(path, nil) else { throw .ofLastCall }
    defer { free(target) }
    let real = String(cString: target)
    let made = try makeTemporary(beside: real, record, 0o600)
    if made.takesPlace(of: status) { return made }
    made.discard()
    return try makeInPlace(real, record, O_WRONLY | O_CLOEXEC)
  }

  /// - Parameter path: of what is not there, or of a link to what is not there.
  private static func makeNew(
    _ path: String, _ record: UnfinishedUploads, _ permissions: mode_t
  ) throws(POSIXError) -> UploadTarget {
    guard errno == ENOENT else { throw .ofLastCall }
    var status = stat()
    let isLink = lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
    return isLink
      ? try makeInPlace(path, record, O_WRONLY | O_CREAT | O_CLOEXEC, permissions)
      : try makeTemporary(beside: path, record, permissions)
  }

  private static func makeTemporary(
    beside path: String, _ record: UnfinishedUploads, _ permissions: mode_t
  ) throws(POSIXError) -> UploadTarget {
    let temporary = "\(path).\(UInt64.random(in: 0 ... .max))"
    let mark = record.begin(URL(fileURLWithPath: temporary))
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, permissions)
    guard descriptor >= 0 else {
      defer { record.end(mark) }
      throw .ofLastCall
    }
    return UploadTarget(descriptor, temporary, path, record, mark)
  }

  private static func makeInPlace(
    _ path: String, _ record: UnfinishedUploads, _ flags: Int32, _ permissions: mode_t = 0o666
  ) throws(POSIXError) -> UploadTarget {
    let descriptor = open(path, flags, permissions)
    guard descriptor >= 0 else { throw .ofLastCall }
    return UploadTarget(descriptor, nil, path, record, record.begin(URL(fileURLWithPath: path)))
  }

  private init(
    _ descriptor: Int32, _ temporary: String?, _ path: String, _ record: UnfinishedUploads,
    _ mark: UnfinishedUploads.Mark
  ) {
    state = Locked(State(descriptor: descriptor))
    self.temporary = temporary
    self.path = path
    self.record = record
    self.mark = mark
  }

  deinit { discard() }

  /// Gives the temporary file the owner, group and permissions of the target, before there is anything in it: who may not read the target
  /// must not read what replaces it.
  private func takesPlace(of status: stat) -> Bool {
    state.withLock { state in
      var own = stat()
      guard fstat(state.descriptor, &own) == 0 else { return false }
      if own.st_uid != status.st_uid || own.st_gid != status.st_gid {
        guard fchown(state.descriptor, status.st_uid, status.st_gid) == 0 else { return false }
      }
      _ = fchmod(state.descriptor, status.st_mode & 0o777)
      return true
    }
  }

  /// Writes a piece.
  /// - Returns: bytes written so far.
  func write(_ piece: [UInt8]) throws -> Int64 {
    try state.withLock { state in
      guard !state.isOver else { throw CancellationError() }
      try tear(&state)
      let isWritten = piece.withUnsafeBytes { DescriptorIO.write($0, to: state.descriptor) }
      guard isWritten else { throw POSIXError.ofLastCall }
      state.written += Int64(piece.count)
      return state.written
    }
  }

  /// Copies the next piece of an open file, in the kernel where that can.
  /// - Returns: how many bytes; 0 at the file's end.
  func copy(atMost count: Int, from source: Int32) throws -> Int {
    try state.withLock { state in
      guard !state.isOver else { throw CancellationError() }
      try tear(&state)
      let copied = copy_piece(source, state.descriptor, count)
      guard copied >= 0 else { throw POSIXError.ofLastCall }
      state.written += Int64(copied)
      return copied
    }
  }

  /// Empties a target that is written in place: not before there is something to write.
  private func tear(_ state: inout State) throws {
    guard temporary == nil, !state.isTorn else { return }
    try Self.check(ftruncate(state.descriptor, 0))
    state.isTorn = true
  }

  /// Bytes written so far.
  var written: Int64 { state.withLock { $0.written } }

  /// Whether the target is written in place, and not whole.
  var isTorn: Bool { state.withLock { $0.isTorn } }

  /// All is written: the file has the target's name from now on.
  /// - Parameters:
  ///   - replaces: whether there may be a file of that name.
  ///   - times: when the content was used and changed last, where that is to be the file's.
  func commit(replacing replaces: Bool = true, times: (used: timespec, changed: timespec)? = nil) throws {
    try state.withLock { state in
      guard !state.isOver else { throw CancellationError() }
      guard replaces || temporary != nil else { throw POSIXError(.EEXIST) }
      try tear(&state)
      if let times {
        _ = withUnsafeBytes(of: times) { futimens(state.descriptor, $0.bindMemory(to: timespec.self).baseAddress) }
      }
      let closed = close(state.descriptor)
      state.descriptor = -1
      try Self.check(closed)
      if let temporary { try Self.check(replaces ? rename(temporary, path) : rename_to_new(temporary, path)) }
      state.isOver = true
      state.isTorn = false
    }
    record.end(mark)
  }

  /// Removes what is not whole, unless it is the target itself.
  func discard() {
    let isTorn = state.withLock { state -> Bool? in
      guard !state.isOver else { return nil }
      state.isOver = true
      if state.descriptor >= 0 { close(state.descriptor) }
      state.descriptor = -1
      if let temporary { unlink(temporary) }
      return state.isTorn
    }
    guard let isTorn else { return }
    if isTorn { record.giveUp(mark) } else { record.end(mark) }
  }

  private static func check(_ result: some SignedInteger) throws {
    if result < 0 { throw POSIXError.ofLastCall }
  }
}

extension POSIXError {
  /// What `errno` says.
  static var ofLastCall: POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
}
