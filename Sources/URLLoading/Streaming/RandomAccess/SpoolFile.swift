internal import URLLoadingBase

/// A file without a name that a body is written to while others read what is there.
///
/// Mutable state: `state`, guarded by its lock. Only the one load writes; the file's descriptor never changes.
final class SpoolFile: Sendable {
  private struct State {
    var written: Int64 = 0
    var isComplete = false
    var failure: URLError?
    /// Reads that wait, and how many bytes each needs to go on.
    var waiting: [ObjectIdentifier: (needed: Int64, handle: ReadHandle)] = [:]

    mutating func takeReady() -> [ReadHandle] {
      let isOver = isComplete || failure != nil
      let ready = waiting.filter { isOver || $0.value.needed <= written }
      for key in ready.keys { waiting[key] = nil }
      return ready.values.map(\.handle)
    }
  }

  private let descriptor: Int32
  private let url: URL
  private let limit: Int64
  private let expectedLength: Int64?
  private let state = Locked(State())

  /// Makes the file.
  /// - Parameters:
  ///   - url: what is spooled, for messages.
  ///   - expectedLength: the bytes that the body should have, if that is known.
  init(of url: URL, expectedLength: Int64?, options: RandomAccessOptions) throws(URLError) {
    self.url = url
    self.expectedLength = expectedLength
    limit = max(0, options.maximumSpooledBytes)
    if let expectedLength, expectedLength > limit { throw Self.limitError(url, limit) }
    let directory = options.temporaryDirectory ?? FileManager.default.temporaryDirectory
    descriptor = Self.open(in: directory.path)
    guard descriptor >= 0 else {
      throw Self.failure(of: url, "cannot make a file in \(directory.path)", errno, .cannotCreateFile)
    }
  }

  deinit {
    Glibc.close(descriptor)
  }

  /// O_TMPFILE, or where the file system has no such, a file that loses its name at once.
  private static func open(in directory: String) -> Int32 {
    // O_TMPFILE, which Swift's module of glibc does not have.
    let unnamed: Int32 = 0o20000000 | O_DIRECTORY
    let opened = Glibc.open(directory, unnamed | O_RDWR | O_CLOEXEC | O_EXCL, 0o600)
    if opened >= 0 { return opened }
    // mkstemp(3) would leave it to children of the process for a moment.
    let path = "\(directory)/URLLoadingSpool_\(String(UInt64.random(in: 0 ... .max), radix: 16))"
    let made = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_EXCL | O_NOFOLLOW, 0o600)
    if made >= 0 { unlink(path) }
    return made
  }

  // MARK: Writing

  /// Adds bytes of the body.
  func append(_ bytes: UnsafeRawBufferPointer) throws(URLError) {
    let start = state.withLock { $0.written }
    guard Int64(bytes.count) <= limit - start else { throw Self.limitError(url, limit) }
    if let expectedLength, Int64(bytes.count) > expectedLength - start {
      throw Self.error(.badServerResponse, url, "more than the announced \(expectedLength) bytes came")
    }
    var rest = bytes
    var position = start
    while let pointer = rest.baseAddress, !rest.isEmpty {
      let count = pwrite(descriptor, pointer, rest.count, off_t(position))
      guard count >= 0 else {
        if errno == EINTR { continue }
        throw Self.failure(of: url, "cannot write it to a temporary file", errno, .cannotWriteToFile)
      }
      position += Int64(count)
      rest = UnsafeRawBufferPointer(rebasing: rest[count...])
    }
    let ready = state.withLock { state in
      state.written = position
      return state.takeReady()
    }
    for handle in ready { handle.wake() }
  }

  /// Nothing more comes: the body was whole, or failed. Only the first end counts.
  /// - Returns: the length, or what was wrong.
  @discardableResult
  func end(_ error: URLError?) -> Result<Int64, URLError> {
    let (result, ready) = state.withLock { state -> (Result<Int64, URLError>, [ReadHandle]) in
      if !state.isComplete, state.failure == nil {
        var error = error
        if error == nil, let expectedLength, state.written < expectedLength {
          error = Self.error(
            .networkConnectionLost, url, "only \(state.written) of the announced \(expectedLength) bytes came")
        }
        state.failure = error
        state.isComplete = error == nil
      }
      return (state.failure.map { .failure($0) } ?? .success(state.written), state.takeReady())
    }
    for handle in ready { handle.wake() }
    return result
  }

  /// Makes all reads fail, also where the body was whole.
  func close(_ error: URLError) {
    let ready = state.withLock { state in
      state.failure = error
      return state.takeReady()
    }
    for handle in ready { handle.wake() }
  }

  // MARK: Reading

  /// Copies what is there, at most 1 MiB of it.
  func advance(_ read: inout RunningRead, into destination: UnsafeMutableRawPointer) throws -> ReadStep {
    let wanted = min(read.bytes.upperBound - read.position, 1 << 20)
    let position = read.position
    let handle = read.handle
    let available = try state.withLock { state -> Int64 in
      if let failure = state.failure { throw failure }
      let available = min(wanted, state.written - position)
      if available < wanted {
        state.waiting[ObjectIdentifier(handle)] = (position + wanted, handle)
        return 0
      }
      return available
    }
    guard available > 0 else { return .wait }
    let start = destination + Int(position - read.bytes.lowerBound)
    var count: Int
    repeat { count = pread(descriptor, start, Int(available), off_t(position)) } while count < 0 && errno == EINTR
    guard count > 0 else {
      throw Self.failure(of: url, "cannot read its temporary file", count < 0 ? errno : EIO, .cannotOpenFile)
    }
    read.position += Int64(count)
    return read.isComplete ? .finished : .more
  }

  /// A read no longer waits.
  func abandon(_ read: RunningRead) {
    state.withLock { $0.waiting[ObjectIdentifier(read.handle)] = nil }
  }

  // MARK: Errors

  private static func limitError(_ url: URL, _ limit: Int64) -> URLError {
    error(
      .dataLengthExceedsMaximum, url,
      "it has no byte ranges, and more than the \(limit) bytes that RandomAccessOptions.maximumSpooledBytes allows")
  }

  private static func failure(of url: URL, _ what: String, _ reason: Int32, _ code: URLError.Code) -> URLError {
    URLError(
      code,
      message: "Cannot read \(url.redactedDescription) as a whole: \(what): \(String(cString: strerror(reason))).",
      url: url, underlying: POSIXError(POSIXErrorCode(rawValue: reason) ?? .EIO))
  }

  private static func error(_ code: URLError.Code, _ url: URL, _ what: String) -> URLError {
    URLError(code, message: "Cannot read \(url.redactedDescription) as a whole: \(what).", url: url)
  }
}
