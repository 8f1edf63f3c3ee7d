internal import URLLoadingBase

/// The body of a copy: what its source sends, as a stream for the upload of its target. Where that needs it from the beginning again, such as
/// after a login, the source is loaded again; where its connection breaks, the rest is, of the same version.
///
/// Mutable state: `current`, guarded by its lock.
final class CopiedBody: Sendable {
  /// A load of the source.
  private struct Run: Sendable {
    let pipe: BodyPipe
    let version: ResourceValidators
    let length: Int64
    /// How many bytes were read to the end.
    let feeding: Task<Int64, any Error>

    func end() {
      feeding.cancel()
      pipe.close()
    }
  }

  private let session: URLSession
  private let request: URLRequest
  private let delegate: (any URLSessionTaskDelegate)?
  private let current = Locked<(run: Run?, isOver: Bool)>((nil, false))

  init(_ session: URLSession, _ request: URLRequest, _ delegate: (any URLSessionTaskDelegate)?) {
    self.session = session
    self.request = request
    self.delegate = delegate
  }

  /// Loads the source; a load of it that is under way is ended.
  /// - Throws: what that failed with, and an error where it is another version than before.
  func open() async throws -> (stream: PipedInputStream, response: URLResponse) {
    let (bytes, response) = try await session.bytes(for: request, delegate: delegate)
    if let response = response as? HTTPURLResponse, let error = ResourceVerb.load.error(for: response) { throw error }
    let pipe = BodyPipe()
    let run = Run(
      pipe: pipe, version: response.validators, length: response.expectedContentLength,
      feeding: Task { [source = ResumedSource(session, request, response, delegate)] in
        try await Self.feed(pipe, bytes, source)
      })
    let (earlier, isOver) = current.withLock { (exchange(&$0.run, with: run), $0.isOver) }
    earlier?.end()
    guard !isOver else {
      run.end()
      throw CancellationError()
    }
    if let earlier, earlier.version.entityTag != run.version.entityTag || earlier.length != run.length {
      run.end()
      throw URLError(
        .cannotDecodeRawData, message: "\(request.url?.redactedDescription ?? "") was changed while it was copied.",
        url: request.url)
    }
    let stream = PipedInputStream(pipe) { [weak self] answer in
      Task { answer(try? await self?.open().stream) }
    }
    return (stream, response)
  }

  /// The bytes that follow a response; nil where it does not say: a length in another coding is not that of what comes.
  static func length(of response: URLResponse) -> Int64? {
    let http = response as? HTTPURLResponse
    guard response.expectedContentLength >= 0, http?.value(forHTTPHeaderField: "Content-Encoding") == nil else {
      return nil
    }
    return response.expectedContentLength
  }

  private static func feed(
    _ pipe: BodyPipe, _ bytes: URLSession.AsyncBytes, _ source: ResumedSource
  ) async throws -> Int64 {
    var count: Int64 = 0
    var (source, bytes) = (source, bytes)
    let length = source.length
    do {
      while true {
        do {
          for try await chunk in bytes.chunks {
            count += Int64(chunk.count)
            guard count <= length ?? .max else { break }
            try await pipe.write(chunk)
          }
          break
        } catch {
          bytes = try await source.rest(from: count, after: error)
        }
      }
      if let length, count != length {
        throw URLError(
          .cannotDecodeRawData,
          message: "The source gave \(count < length ? "\(count)" : "more") bytes, where \(length) were announced.",
          url: nil)
      }
      pipe.end()
      return count
    } catch {
      pipe.end(error)
      throw error
    }
  }

  /// Why the source has ended ahead of its time, where that was not for the target's sake.
  var failure: (any Error)? {
    current.withLock { $0.run }?.pipe.failure.flatMap { $0 is CancellationError ? nil : $0 }
  }

  /// The bytes of the source, all of which were read.
  func count() async throws -> Int64 { try await current.withLock { $0.run }?.feeding.value ?? 0 }

  /// Ends the load of the source, and each that would begin later.
  func end() {
    let run = current.withLock { state in
      state.isOver = true
      return state.run
    }
    run?.end()
  }
}
