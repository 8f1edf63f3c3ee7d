internal import CurlTransport

/// Writes the body of a download to a temporary file as it comes.
///
/// A resumed download goes on in the file that an earlier one left. That file is locked, so that two downloads cannot write it at once.
///
/// Mutable state: `state`, guarded by its lock.
final class FileSink: BodySink {
  private struct State {
    var descriptor: Int32 = -1
    var url: URL?
    var offset: Int64 = 0
    var written: Int64 = 0
    var reported: Int64 = 0
    var isClosed = false
  }

  private let state = Locked(State())
  let holdsBytes = false

  deinit {
    state.withLock { if $0.descriptor >= 0 { close($0.descriptor) } }
  }

  func begin(expectedLength: Int64) {}

  /// Bytes in the file, those of an earlier download included.
  var length: Int64 { state.withLock { $0.offset + $0.written } }

  /// Bytes that were written since this was asked last, and the length of the file.
  func takeProgress() -> (new: Int64, length: Int64) {
    state.withLock { state in
      defer { state.reported = state.written }
      return (state.written - state.reported, state.offset + state.written)
    }
  }

  /// Opens the file that an earlier download left.
  /// - Returns: the bytes in it: not those that the earlier download counted, but those that are there, since it may
  ///   have gone on until its process was killed. Nil when it is gone, or another download writes it.
  func reopen(_ url: URL) -> Int64? {
    let descriptor = open(url.path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { return nil }
    var status = stat()
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, fstat(descriptor, &status) == 0,
      status.st_mode & S_IFMT == S_IFREG
    else {
      close(descriptor)
      return nil
    }
    return state.withLock { state in
      state.descriptor = descriptor
      state.url = url
      state.offset = Int64(status.st_size)
      return state.offset
    }
  }

  /// Goes on at `offset`; what the file has beyond is dropped.
  func continueAt(_ offset: Int64) throws {
    try state.withLock { state in
      guard ftruncate(state.descriptor, off_t(offset)) == 0, lseek(state.descriptor, off_t(offset), SEEK_SET) >= 0
      else { throw Self.failure(of: state.url) }
      state.offset = offset
      state.written = 0
      state.reported = 0
    }
  }

  /// Starts again with a new file. The old one stays for whoever holds its resume data.
  func startOver() {
    state.withLock { state in
      if state.descriptor >= 0 { close(state.descriptor) }
      state = State()
    }
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws -> Bool {
    try state.withLock { state in
      guard !state.isClosed else { return false }
      if state.descriptor < 0 { try Self.create(&state) }
      var rest = bytes
      while let start = rest.baseAddress, !rest.isEmpty {
        let count = Glibc.write(state.descriptor, start, rest.count)
        if count < 0 {
          guard errno == EINTR else { throw Self.failure(of: state.url) }
          continue
        }
        state.written += Int64(count)
        rest = UnsafeRawBufferPointer(rebasing: rest[count...])
      }
      return false
    }
  }

  /// Closes the file, which is whole.
  func finish() throws -> URL {
    try state.withLock { state in
      if state.descriptor < 0 { try Self.create(&state) }
      state.isClosed = true
      defer { state.descriptor = -1 }
      // Some file systems report a full disk only now.
      guard close(state.descriptor) == 0, let url = state.url else { throw Self.failure(of: state.url) }
      return url
    }
  }

  /// Closes the file and leaves it for a later download.
  /// - Returns: where it is and how long; nil when there is none.
  func keep() -> (url: URL, length: Int64)? {
    state.withLock { state in
      state.isClosed = true
      guard state.descriptor >= 0, let url = state.url else { return nil }
      close(state.descriptor)
      state.descriptor = -1
      return (url, state.offset + state.written)
    }
  }

  /// Closes and removes the file.
  func discard() {
    if let kept = keep() { unlink(kept.url.path) }
  }

  private static func create(_ state: inout State) throws {
    let name = "URLLoadingDownload_\(String(UInt64.random(in: 0 ... .max), radix: 36)).tmp"
    let url = FileManager.default.temporaryDirectory.appendingPathComponent(name)
    let descriptor = open(url.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw failure(of: url) }
    _ = flock(descriptor, LOCK_EX | LOCK_NB)
    state.descriptor = descriptor
    state.url = url
  }

  private static func failure(of url: URL?) -> URLError {
    let reason = POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
    let path = url?.path ?? "the temporary directory"
    return URLError(
      .cannotWriteToFile, message: "Cannot write the download to \(path): \(String(cString: strerror(errno))).",
      url: nil, underlying: reason)
  }
}
