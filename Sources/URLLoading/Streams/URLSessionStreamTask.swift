// Safe to share: what it adds to URLSessionTask never changes, and guards itself.
/// A TCP connection: bytes both ways, with TLS from the moment at which the owner asks for it.
///
/// The connection goes through the session's proxies. Reads are done in their order, and so are writes; what closes a direction, begins TLS
/// or hands the streams over waits for those that were asked for before it. When one fails, all that wait fail, and the task ends with that
/// error. A task whose both directions are closed ends without one. Bytes that nobody reads wait in memory up to
/// ``URLSessionConfiguration/maximumBufferedBytesPerTask``; then the peer has to.
///
/// The request timeout is for the connection to be made; once it stands, it may rest.
open class URLSessionStreamTask: URLSessionTask, @unchecked Sendable {
  private let channel: StreamChannel?

  /// Makes a task that belongs to no session, see ``URLSessionTask/init()``. Whatever it is asked for fails.
  public override init() {
    channel = nil
    super.init()
  }

  init(load: Load, channel: StreamChannel) {
    self.channel = channel
    super.init(load: load)
  }

  // MARK: Reading and writing

  /// Reads bytes, behind the reads before it, and calls the handler on the session's delegate queue.
  ///
  /// Fewer than the minimum come at the end alone. A read that is not done in time fails, and loses nothing.
  /// - Parameters:
  ///   - minBytes: at least so many; 0 counts as 1.
  ///   - maxBytes: at most so many.
  ///   - timeout: in seconds; 0 for none.
  ///   - completionHandler: gets the bytes, nil for none; whether nothing more will come; the error.
  @preconcurrency
  open func readData(
    ofMinLength minBytes: Int, maxLength maxBytes: Int, timeout: TimeInterval,
    completionHandler: @escaping @Sendable (Data?, Bool, (any Error)?) -> Void
  ) {
    guard let channel else { return completionHandler(nil, false, Self.unmade) }
    let session = load.session
    channel.read(minimum: minBytes, maximum: maxBytes, timeout: timeout) { data, atEOF, error in
      session.delegateQueue.addOperation { completionHandler(data, atEOF, error) }
    }
  }

  /// Reads bytes, behind the reads before it.
  /// - Returns: the bytes, nil for none, and whether nothing more will come.
  /// - Throws: `URLError.timedOut`, and what the task ended with.
  open func readData(
    ofMinLength minBytes: Int, maxLength maxBytes: Int, timeout: TimeInterval
  ) async throws -> (Data?, Bool) {
    try await withUnsafeThrowingContinuation { continuation in
      guard let channel else { return continuation.resume(throwing: Self.unmade) }
      channel.read(minimum: minBytes, maximum: maxBytes, timeout: timeout) { data, atEOF, error in
        continuation.resume(with: error.map { .failure($0) } ?? .success((data, atEOF)))
      }
    }
  }

  /// Writes bytes, behind the writes before it; the handler is called on the session's delegate queue when they were given to the connection.
  ///
  /// A write that is not done in time fails; where a part of it was sent, so does the task.
  /// - Parameter timeout: in seconds; 0 for none.
  @preconcurrency
  open func write(
    _ data: Data, timeout: TimeInterval, completionHandler: @escaping @Sendable ((any Error)?) -> Void
  ) {
    guard let channel else { return completionHandler(Self.unmade) }
    let session = load.session
    channel.write(data, timeout: timeout) { error in session.delegateQueue.addOperation { completionHandler(error) } }
  }

  /// Writes bytes, behind the writes before it, and returns when they were given to the connection.
  /// - Throws: `URLError.timedOut`, and what the task ended with.
  open func write(_ data: Data, timeout: TimeInterval) async throws {
    try await withUnsafeThrowingContinuation { (continuation: UnsafeContinuation<Void, any Error>) in
      guard let channel else { return continuation.resume(throwing: Self.unmade) }
      channel.write(data, timeout: timeout) { continuation.resume(with: $0.map { .failure($0) } ?? .success(())) }
    }
  }

  // MARK: Closing

  /// Closes the direction to the peer, which is told, behind the reads and writes that wait. Reading goes on.
  open func closeWrite() { channel?.barrier(.closeWrite) }

  /// Reads no more, behind the reads and writes that wait: what still comes is dropped. Writing goes on.
  open func closeRead() { channel?.barrier(.closeRead) }

  // MARK: TLS

  /// Begins TLS with the host that the task was made with, behind the reads and writes that wait. What is read and written later is protected.
  ///
  /// The host's certificate is verified by the session's authorities; the delegate is not asked. What the peer sent in the clear before
  /// and was not read fails the task with `URLError.secureConnectionFailed`: it would pass for something that TLS has protected.
  open func startSecureConnection() { channel?.barrier(.secure) }

  /// Not available: libcurl cannot end TLS and keep the connection. Ends the task with `URLError.unsupportedURL`. Deprecated by Apple.
  open func stopSecureConnection() {
    load.endDuplex(
      URLError(
        .unsupportedURL,
        message:
          "TLS cannot be ended on a connection that stays: libcurl has no way to do it. Close the connection, and make another one.",
        url: originalRequest?.url))
  }

  // MARK: Streams

  /// Hands the connection over as a pair of streams, behind the reads and writes that wait: the delegate gets them by
  /// ``URLSessionStreamDelegate/urlSession(_:streamTask:didBecome:outputStream:)-(_,_,InputStream,_)``, not open yet.
  ///
  /// The task ends when both streams are closed, or the connection is.
  open func captureStreams() { channel?.barrier(.capture) }

  /// For requests of a task that no session made.
  private static let unmade = URLError(
    .unsupportedURL, message: "A stream task that no session made has no connection.", url: nil)
}
