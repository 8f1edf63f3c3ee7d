extension URLSession {
  /// The body of a resource as it comes, byte by byte.
  ///
  /// The buffer is bounded: while it is full, the sender is paused. The load is cancelled when the sequence and its iterators are
  /// released, and when a reading task is cancelled. One iterator at a time.
  ///
  /// A loop that only collects bytes, or passes them on, is many times faster over the ``chunks``.
  public struct AsyncBytes: AsyncSequence, Sendable {
    /// Bytes.
    public typealias Element = UInt8
    /// The iterator: fast where bytes are there already.
    public typealias AsyncIterator = AsyncBytesIterator

    let reader: StreamReader

    /// The task that loads the resource.
    public var task: URLSessionDataTask { reader.task }

    /// Begins to read where the last iterator stopped taking chunks.
    public func makeAsyncIterator() -> AsyncIterator {
      let reader = reader
      return AsyncBytesIterator { try await reader.nextChunk() }
    }

    /// The next bytes as they came, nil at the end, for readers that want no single ones. One reader at a time, iterators included.
    package func nextChunk() async throws -> Data? { try await reader.nextChunk() }
  }

  /// Loads a resource and gives its body as it comes.
  public func bytes(
    from url: URL, delegate: (any URLSessionTaskDelegate)? = nil
  ) async throws -> (AsyncBytes, URLResponse) {
    try await bytes(for: URLRequest(url: url), delegate: delegate)
  }

  /// Loads a resource and gives its body as it comes. Returns when the response's head is there.
  /// - Throws: what went wrong before the head; what goes wrong later is thrown by the iterator.
  public func bytes(
    for request: URLRequest, delegate: (any URLSessionTaskDelegate)? = nil
  ) async throws -> (AsyncBytes, URLResponse) {
    let sink = StreamSink()
    let plan = LoadPlan(
      request: request, kind: .bytes, owner: .reader, upload: UploadSource(of: request))
    let load = load(plan)
    load.setSink(sink)
    sink.attach(to: load)
    let reader = StreamReader(task: made(URLSessionDataTask(load: load), delegate: delegate), sink: sink)
    reader.task.resume()
    return (AsyncBytes(reader: reader), try await reader.response())
  }
}
