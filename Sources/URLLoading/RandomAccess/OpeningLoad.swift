internal import URLLoadingBase

/// The first request. Its answer decides whether the body, and the rest, is loaded as blocks or spooled to a file.
///
/// Mutable state: `state`, guarded by its lock.
final class OpeningLoad: BodySink {
  private enum Target {
    case unknown
    case range(RangeLoad?)
    case spool(BodySpool)
  }

  private struct State {
    var continuation: UnsafeContinuation<any RandomAccessSource, any Error>?
    var task: URLSessionTask?
    var isCancelled = false
    var target = Target.unknown
    /// ``open()`` has its result.
    var isOpened = false
    var response: URLResponse?
  }

  let holdsBytes = false
  private let requests: RangeRequests
  private let url: URL
  private let options: RandomAccessOptions
  /// Nil for the whole.
  private let range: ByteRange?
  private let state = Locked(State())

  /// What ``open()`` throws when the resource has ranges of a coded form only.
  struct CodedPart: Error {}

  /// What ``open()`` throws when the server may have the resource, but not the range.
  struct RefusedRange: Error {}

  /// - Parameter range: the part that is asked for; nil for all, decoded where it is coded.
  init(_ requests: RangeRequests, url: URL, options: RandomAccessOptions, range: ByteRange?) {
    self.requests = requests
    self.url = url
    self.options = options
    self.range = range
  }

  /// The first response.
  var response: URLResponse? { state.withLock { $0.response } }

  /// Sends the request.
  /// - Returns: a source that knows its length; the bytes may still be on their way.
  func open() async throws -> any RandomAccessSource {
    try await withTaskCancellationHandler {
      try await withUnsafeThrowingContinuation { continuation in
        let task = requests.task(for: requests.request(for: range, ifRange: nil), sink: self)
        let isCancelled = state.withLock { state in
          state.continuation = continuation
          state.task = task
          return state.isCancelled
        }
        task.resume()
        if isCancelled { task.cancel() }
      }
    } onCancel: {
      let task = state.withLock { state in
        state.isCancelled = true
        // Then the source owns the task.
        return state.isOpened ? nil : state.task
      }
      task?.cancel()
    }
  }

  // MARK: Events of the load

  func begin(response: URLResponse) {
    let task = state.withLock { state -> URLSessionTask? in
      guard state.response == nil else { return nil }
      state.response = response
      return state.task
    }
    // Of a multipart answer only the first response counts, which is refused.
    guard let task else { return }
    let found = response.url ?? url
    switch FirstAnswer(response, asked: range, url: found) {
    case .part(let first, let length): beginRanges(of: response, first, length, task)
    case .empty:
      openEmpty(response)
      task.cancel()
    case .whole(let length): beginSpool(found, length, task)
    case .coded:
      opened(.failure(CodedPart()))
      task.cancel()
    case .refusedRange:
      opened(.failure(RefusedRange()))
      task.cancel()
    case .refused(let error):
      opened(.failure(error))
      task.cancel()
    }
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws -> Bool {
    switch state.withLock({ $0.target }) {
    case .unknown: return false
    case .range(let load): return try load?.write(bytes) ?? false
    case .spool(let spool):
      try spool.append(bytes)
      return false
    }
  }

  func end(_ error: (any Error)?) {
    let (target, response, task, isOpened) = state.withLock { state in
      defer { state.task = nil }
      return (state.target, state.response, state.task, state.isOpened)
    }
    switch target {
    case .unknown:
      if (error as NSError?)?.userInfo[URLError.completeLengthKey] as? Int64 == 0 {
        openEmpty(nil)
      } else {
        opened(.failure(error ?? URLError(.badServerResponse)))
      }
    case .range(let load): load?.end(error)
    case .spool(let spool):
      let failure = error.map {
        $0 as? URLError ?? URLError(.unknown, message: "The load failed: \($0).", url: url, underlying: $0)
      }
      let result = spool.end(failure)
      guard !isOpened, let task else { return }
      opened(
        result.map { SpooledSource(url: response?.url ?? url, length: $0, spool: spool, task: task) }
          .mapError { $0 })
    }
  }

  // MARK: Sources

  private func beginRanges(of response: URLResponse, _ first: Range<Int64>, _ length: Int64, _ task: URLSessionTask) {
    let source = RangedSource(
      version: ResourceVersion(url: response.url ?? url, length: length, validators: response.validators),
      requests: requests.following(task), options: options, first: first, task: task)
    state.withLock { $0.target = .range(source.firstLoad) }
    opened(.success(source))
  }

  private func openEmpty(_ response: URLResponse?) {
    let version = ResourceVersion(
      url: response?.url ?? url, length: 0, validators: response?.validators ?? ResourceValidators())
    opened(.success(RangedSource(version: version, requests: requests, options: options, first: 0..<0, task: nil)))
  }

  private func beginSpool(_ found: URL, _ length: Int64?, _ task: URLSessionTask) {
    do {
      let spool = try BodySpool(of: found, expectedLength: length, options: options)
      state.withLock { $0.target = .spool(spool) }
      // Without a length, at the end.
      if let length { opened(.success(SpooledSource(url: found, length: length, spool: spool, task: task))) }
    } catch {
      opened(.failure(error))
      task.cancel()
    }
  }

  private func opened(_ result: Result<any RandomAccessSource, any Error>) {
    let continuation = state.withLock { state in
      state.isOpened = true
      defer { state.continuation = nil }
      return state.continuation
    }
    continuation?.resume(with: result)
  }
}
