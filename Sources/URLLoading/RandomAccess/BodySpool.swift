internal import URLLoadingBase

/// A body in a temporary file: one load appends to it while others read what is there.
///
/// Mutable state: `state`, guarded by its lock.
final class BodySpool: Sendable {
  private struct State {
    var written: Int64 = 0
    var isComplete = false
    var failure: URLError?
    /// Suspended reads, and the end of the bytes that each needs.
    var waiting: [ObjectIdentifier: (needed: Int64, handle: ReadHandle)] = [:]

    mutating func takeReady() -> [ReadHandle] {
      let isOver = isComplete || failure != nil
      let ready = waiting.filter { isOver || $0.value.needed <= written }
      for key in ready.keys { waiting[key] = nil }
      return ready.values.map(\.handle)
    }
  }

  /// The most that one step of a read copies, in bytes.
  private static let largestStep: Int64 = 1 << 20

  private let file: SpoolFile
  private let url: URL
  private let limit: Int64
  private let expectedLength: Int64?
  private let state = Locked(State())

  /// - Parameters:
  ///   - url: what is spooled, for messages.
  ///   - expectedLength: the bytes that the body should have, if that is known.
  init(of url: URL, expectedLength: Int64?, options: RandomAccessOptions) throws(URLError) {
    self.url = url
    self.expectedLength = expectedLength
    limit = max(0, options.maximumSpooledBytes)
    if let expectedLength, expectedLength > limit { throw Self.overrunError(of: url, limit) }
    do throws(SpoolFile.Failure) {
      file = try SpoolFile(directory: (options.temporaryDirectory ?? FileManager.default.temporaryDirectory).path)
    } catch {
      throw Self.error(.cannotCreateFile, url, error)
    }
  }

  // MARK: Writing

  /// Adds bytes of the body.
  func append(_ bytes: UnsafeRawBufferPointer) throws(URLError) {
    let start = state.withLock { $0.written }
    guard Int64(bytes.count) <= limit - start else { throw Self.overrunError(of: url, limit) }
    if let expectedLength, Int64(bytes.count) > expectedLength - start {
      throw Self.error(.badServerResponse, url, "more than the announced \(expectedLength) bytes came")
    }
    do throws(SpoolFile.Failure) {
      try file.write(bytes, at: start)
    } catch {
      throw Self.error(.cannotWriteToFile, url, error)
    }
    wakeReady { $0.written = start + Int64(bytes.count) }
  }

  /// Ends the body, whole or with an error. Only the first end counts.
  /// - Returns: the length, or what was wrong.
  func end(_ error: URLError?) -> Result<Int64, URLError> {
    wakeReady { state -> Result<Int64, URLError> in
      if !state.isComplete, state.failure == nil {
        state.failure = error
        if error == nil, let expectedLength, state.written < expectedLength {
          state.failure = Self.error(
            .networkConnectionLost, url, "only \(state.written) of the announced \(expectedLength) bytes came")
        }
        state.isComplete = state.failure == nil
      }
      return state.failure.map { .failure($0) } ?? .success(state.written)
    }
  }

  /// Makes all reads fail, also where the body was whole.
  func close(_ error: URLError) {
    wakeReady { $0.failure = error }
  }

  /// Changes the state, and resumes the reads that it completes.
  private func wakeReady<Result>(_ change: (inout State) -> Result) -> Result {
    let (result, ready) = state.withLock { state in (change(&state), state.takeReady()) }
    for handle in ready { handle.wake() }
    return result
  }

  // MARK: Reading

  /// Copies what is there, at most ``largestStep`` of it.
  func advance(_ read: inout RunningRead, into destination: UnsafeMutableRawPointer) throws -> ReadStep {
    let wanted = min(read.bytes.upperBound - read.position, Self.largestStep)
    let end = read.position + wanted
    let handle = read.handle
    let isThere = try state.withLock { state in
      if let failure = state.failure { throw failure }
      if state.written < end { state.waiting[ObjectIdentifier(handle)] = (end, handle) }
      return state.written >= end
    }
    guard isThere else { return .wait }
    let buffer = UnsafeMutableRawBufferPointer(
      start: destination + Int(read.position - read.bytes.lowerBound), count: Int(wanted))
    do throws(SpoolFile.Failure) {
      guard try file.read(into: buffer, at: read.position) == buffer.count else { throw .truncation }
    } catch {
      throw Self.error(.cannotOpenFile, url, error)
    }
    read.position = end
    return read.isComplete ? .finished : .more
  }

  /// Forgets a read that was waiting.
  func abandon(_ read: RunningRead) {
    state.withLock { $0.waiting[ObjectIdentifier(read.handle)] = nil }
  }

  // MARK: Errors

  private static func overrunError(of url: URL, _ limit: Int64) -> URLError {
    error(
      .dataLengthExceedsMaximum, url,
      "it has no byte ranges, and more than the \(limit) bytes that RandomAccessOptions.maximumSpooledBytes allows")
  }

  private static func error(_ code: URLError.Code, _ url: URL, _ failure: SpoolFile.Failure) -> URLError {
    error(
      code, url, failure.localizedDescription, underlying: POSIXError(POSIXErrorCode(rawValue: failure.code) ?? .EIO))
  }

  private static func error(
    _ code: URLError.Code, _ url: URL, _ what: String, underlying: (any Error)? = nil
  ) -> URLError {
    URLError(
      code, message: "Cannot read \(url.redactedDescription) as a whole: \(what).", url: url, underlying: underlying)
  }
}
