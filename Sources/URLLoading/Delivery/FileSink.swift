internal import URLLoadingBase

/// Writes the body of a download to a temporary file as it arrives.
///
/// A resumed download continues in the file that an earlier one left. Files are locked: two downloads never write one.
///
/// Mutable state: `state`, guarded by its lock, which is held while the file is written; `extent`, guarded by one that never is: whoever
/// asks how far the download is does not wait for a disk. Where both are held, that of `state` was taken first. Only ``takeProgress()`` and
/// ``noteElsewhere(_:)`` change `extent` without the lock of `state`, and the latter never beside a write.
final class FileSink: BodySink {
  private struct State {
    var descriptor: Int32 = -1
    /// The length of the body, in bytes, where its range promised one.
    var bodyLength: Int64?
    var isClosed = false
    /// An earlier download made the file, and its resume data names it.
    var isReopened = false
  }

  /// The file, and how far it is written and reported, in bytes.
  private struct Extent {
    var url: URL?
    var offset: Int64 = 0
    var written: Int64 = 0
    var reported: Int64 = 0
    var length: Int64 { offset + written }
  }

  private static let prefix = "URLLoadingDownload_"

  /// Unlocks a file and closes it. A child process that is being started has a copy of the descriptor for a moment, which would
  /// keep the lock.
  @discardableResult
  private static func unlockAndClose(_ descriptor: Int32) -> Int32 {
    _ = flock(descriptor, LOCK_UN)
    return close(descriptor)
  }

  private let state = Locked(State(), rank: .fileSink)
  private let extent = Locked(Extent(), rank: .fileExtent)
  /// Where the file is made; nil for the temporary directory.
  private let directory: String?
  private let label: String?
  let holdsBytes = false

  /// - Parameters:
  ///   - directory: where the file is made; nil for the temporary directory.
  ///   - label: a part of the name of each file that is made; nil for none.
  init(in directory: String? = nil, label: String? = nil) {
    self.directory = directory
    self.label = label
  }

  deinit {
    state.withLock { if $0.descriptor >= 0 { Self.unlockAndClose($0.descriptor) } }
  }

  /// Bytes in the file, those of an earlier download included.
  var length: Int64 { extent.withLock { $0.length } }

  /// Bytes that were written since this was asked last, and the length of the file.
  func takeProgress() -> (new: Int64, length: Int64) {
    extent.withLock { extent in
      defer { extent.reported = extent.written }
      return (extent.written - extent.reported, extent.length)
    }
  }

  /// The file, and the bytes that it has; nil before there is one.
  var place: (url: URL, length: Int64)? {
    extent.withLock { extent in extent.url.map { ($0, extent.length) } }
  }

  /// Whether an earlier download made the file.
  var isReopened: Bool { state.withLock { $0.isReopened } }

  /// Opens the file that an earlier download left.
  /// - Returns: its length, which may be more than the earlier download counted, if its process was killed. Nil when it is gone, when
  ///   another download writes it, and when it is no file of a download: resume data may come from anywhere, and must not
  ///   have other files overwritten.
  func reopen(_ url: URL) -> Int64? {
    guard url.lastPathComponent.hasPrefix(Self.prefix) else { return nil }
    // A pipe of that name would make open wait.
    let descriptor = open(url.path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    var status = stat()
    // A download that ended meanwhile has given its file to its owner, under another name.
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, fstat(descriptor, &status) == 0,
      DescriptorIO.isFile(descriptor, at: url.path), status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid()
    else {
      Self.unlockAndClose(descriptor)
      return nil
    }
    return state.withLock { state in
      if state.descriptor >= 0 { Self.unlockAndClose(state.descriptor) }
      state.descriptor = descriptor
      state.isReopened = true
      return extent.withLock { extent in
        extent.url = url
        extent.offset = Int64(status.st_size)
        return extent.offset
      }
    }
  }

  /// Continues with a body of `length` bytes at `offset`, and cuts the file there.
  func continueAt(_ offset: Int64, length: Int64) throws {
    try state.withLock { state in
      try cut(state.descriptor, to: offset)
      state.bodyLength = length
    }
  }

  /// Continues with a body of `length` bytes where the file ends.
  func expectRest(ofLength length: Int64) {
    state.withLock { state in state.bodyLength = extent.withLock { $0.written } + length }
  }

  /// Nobody may count bytes that are about to go: the extent comes first.
  private func cut(_ descriptor: Int32, to offset: Int64) throws {
    extent.withLock { extent in
      extent.offset = offset
      extent.written = 0
      extent.reported = 0
    }
    guard ftruncate(descriptor, off_t(offset)) == 0, lseek(descriptor, off_t(offset), SEEK_SET) >= 0
    else { throw failure(errno) }
  }

  /// The body exceeds its length.
  struct Overrun: Error {
    /// What it may have, in bytes.
    let bodyLength: Int64
  }

  /// The bytes that the body lacks of its length; 0 where that is not known.
  var missing: Int64 {
    state.withLock { state in state.bodyLength.map { $0 - extent.withLock { $0.written } } ?? 0 }
  }

  /// Starts again with a new file.
  /// - Parameter isStale: the old file is of no use, and removed; else it stays for the owner of its resume data.
  func startOver(isStale: Bool) {
    state.withLock { state in
      // Nobody may be told of a file that is about to be removed.
      let old = extent.withLock { exchange(&$0, with: Extent()) }
      // Without a descriptor the file is not this download's to remove.
      if state.descriptor >= 0 {
        if isStale, let url = old.url { unlink(url.path) }
        Self.unlockAndClose(state.descriptor)
      }
      state = State()
    }
  }

  /// Counts bytes that another process has written to the file that this one will adopt.
  func recordElsewhere(_ length: Int64) {
    extent.withLock { extent in
      extent.written = length - extent.offset
      // A download that has started over has fewer bytes than before.
      extent.reported = min(extent.reported, extent.written)
    }
  }

  /// Takes a file that has the whole body.
  func adopt(_ url: URL) throws {
    let descriptor = open(url.path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { throw Self.failure(of: url, errno) }
    var status = stat()
    fstat(descriptor, &status)
    state.withLock { state in
      if state.descriptor >= 0 { Self.unlockAndClose(state.descriptor) }
      state.descriptor = descriptor
      extent.withLock { extent in
        extent.url = url
        extent.written = Int64(status.st_size) - extent.offset
      }
    }
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws -> Bool {
    try state.withLock { state in
      guard !state.isClosed else { return false }
      if state.descriptor < 0 { try create(&state) }
      if let length = state.bodyLength, Int64(bytes.count) > length - extent.withLock({ $0.written }) {
        // Which of the bytes are right is unknown: the file is truncated to its length before them.
        try cut(state.descriptor, to: extent.withLock { $0.offset })
        throw Overrun(bodyLength: length)
      }
      var rest = bytes
      while let start = rest.baseAddress, !rest.isEmpty {
        let count = DescriptorIO.uninterrupted { Glibc.write(state.descriptor, start, rest.count) }
        guard count >= 0 else { throw failure(errno) }
        extent.withLock { $0.written += Int64(count) }
        rest = UnsafeRawBufferPointer(rebasing: rest[count...])
      }
      return false
    }
  }

  /// Closes the file, which is whole.
  func finish() throws -> URL {
    try state.withLock { state in
      if state.descriptor < 0 { try create(&state) }
      state.isClosed = true
      defer { state.descriptor = -1 }
      if state.isReopened, let url = place?.url {
        // Resume data names the file; with a new name no other download can take it from its owner. The lock is kept until then.
        let renamed = newURL(in: url.deletingLastPathComponent())
        if rename(url.path, renamed.path) == 0 { extent.withLock { $0.url = renamed } }
      }
      // Some file systems report a full disk only now.
      guard Self.unlockAndClose(state.descriptor) == 0, let url = place?.url else { throw failure(errno) }
      return url
    }
  }

  /// Closes the file and leaves it for a later download.
  /// - Returns: where it is and how long; nil when there is none.
  func keep() -> (url: URL, length: Int64)? {
    state.withLock { state in
      state.isClosed = true
      guard state.descriptor >= 0, let place else { return nil }
      Self.unlockAndClose(state.descriptor)
      state.descriptor = -1
      return place
    }
  }

  /// Closes and removes the file, also one that ``finish()`` could not close.
  func discard() {
    _ = keep()
    if let url = place?.url { unlink(url.path) }
  }

  private func create(_ state: inout State) throws {
    let url = newURL(
      in: directory.map { URL(fileURLWithPath: $0, isDirectory: true) } ?? FileManager.default.temporaryDirectory)
    let descriptor = open(url.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw Self.failure(of: url, errno) }
    _ = flock(descriptor, LOCK_EX | LOCK_NB)
    state.descriptor = descriptor
    extent.withLock { $0.url = url }
  }

  private func newURL(in directory: URL) -> URL {
    let beginning = Self.prefix + (label.map { "\($0)-" } ?? "")
    return directory.appendingPathComponent("\(beginning)\(String(UInt64.random(in: 0 ... .max), radix: 36)).tmp")
  }

  /// The label in the name of a file; nil where it has none.
  static func label(in name: String) -> String? {
    guard name.hasPrefix(prefix), let end = name.lastIndex(of: "-") else { return nil }
    return String(name[..<end].dropFirst(prefix.count))
  }

  /// The file cannot be written.
  private func failure(_ reason: Int32) -> URLError { Self.failure(of: place?.url, reason) }

  private static func failure(of url: URL?, _ reason: Int32) -> URLError {
    let path = url?.path ?? "the temporary directory"
    return URLError(
      .cannotWriteToFile, message: "Cannot write the download to \(path): \(String(cString: strerror(reason))).",
      url: nil, underlying: POSIXError(POSIXErrorCode(rawValue: reason) ?? .EIO))
  }
}
