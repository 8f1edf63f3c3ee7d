// Safe to share: what it adds to URLSessionTask never changes, and guards itself.
/// A TCP connection, full duplex, with TLS from the moment at which the owner asks for it.
///
/// The connection goes through the proxies that the session's settings name for `https`; an HTTP proxy opens a tunnel. Reads complete in
/// FIFO order, and so do writes; closing a direction, starting TLS and capturing the streams wait for the requests before them. A request
/// that fails also fails those after it in the same direction. When the connection fails, the task ends with that error once the received
/// bytes were read. When both directions are closed, it ends without an error. Unread bytes are buffered up to
/// ``URLSessionConfiguration/maximumBufferedBytesPerTask``; then TCP's flow control stops the peer. A suspended task neither reads nor
/// writes.
///
/// The request timeout applies to connecting and to the TLS handshake; an established connection may be idle.
open class URLSessionStreamTask: URLSessionTask, @unchecked Sendable {
  private let channel: StreamChannel?

  /// Makes a task that belongs to no session, see ``URLSessionTask/init()``. All its requests fail.
  public override init() {
    channel = nil
    super.init()
  }

  init(load: Load, channel: StreamChannel) {
    self.channel = channel
    super.init(load: load)
  }

  /// A task that reads what a load still receives, and where that goes.
  static func reading(_ load: Load) -> (task: URLSessionStreamTask, rest: any BodySink) {
    let channel = StreamChannel(url: load.plan.request.url, isWritable: false)
    channel.attach(to: load)
    return (URLSessionStreamTask(load: load, channel: channel), channel)
  }

  deinit { channel?.taskIsReleased() }

  // MARK: Reading and writing

  /// Reads bytes, after earlier reads, and calls the handler on the session's delegate queue.
  ///
  /// Fewer bytes than the minimum are read only at the end of the stream. A read that times out fails, as do those after it, and consumes
  /// nothing: the bytes stay for the next read.
  /// - Parameters:
  ///   - minBytes: at least so many; 0 counts as 1.
  ///   - maxBytes: at most so many.
  ///   - timeout: in seconds; 0 for none.
  ///   - completionHandler: gets the bytes, nil for none; whether the stream has ended; the error.
  @preconcurrency
  open func readData(
    ofMinLength minBytes: Int, maxLength maxBytes: Int, timeout: TimeInterval,
    completionHandler: @escaping @Sendable (Data?, Bool, (any Error)?) -> Void
  ) {
    guard let channel else { return completionHandler(nil, false, Self.unmade) }
    let load = load
    channel.read(minimum: minBytes, maximum: maxBytes, timeout: timeout) { data, atEOF, error in
      load.call { completionHandler(data, atEOF, error) }
    }
  }

  /// Reads bytes, after earlier reads. Cancelling the calling Swift task withdraws the read, which consumes nothing; the stream stays
  /// usable.
  /// - Returns: the bytes, nil for none, and whether the stream has ended.
  /// - Throws: `URLError.timedOut`, and what the task ended with; `CancellationError`.
  open func readData(
    ofMinLength minBytes: Int, maxLength maxBytes: Int, timeout: TimeInterval
  ) async throws -> (Data?, Bool) {
    guard let channel else { throw Self.unmade }
    let caller = StreamCaller(channel)
    return try await withTaskCancellationHandler {
      try await withUnsafeThrowingContinuation { (continuation: UnsafeContinuation<(Data?, Bool), any Error>) in
        caller.ask(continuation) { channel, caller in
          channel.read(minimum: minBytes, maximum: maxBytes, timeout: timeout, by: caller) { data, atEOF, error in
            continuation.resume(with: error.map { .failure($0) } ?? .success((data, atEOF)))
          }
        }
      }
    } onCancel: {
      caller.cancel()
    }
  }

  /// Writes bytes, after earlier writes; the handler is called on the session's delegate queue when the connection has accepted them.
  ///
  /// A write that times out fails, as do those after it; where a part of it was sent, so does the task.
  ///
  /// `timeout`: in seconds; 0 for none.
  @preconcurrency
  open func write(
    _ data: Data, timeout: TimeInterval, completionHandler: @escaping @Sendable ((any Error)?) -> Void
  ) {
    guard let channel else { return completionHandler(Self.unmade) }
    let load = load
    channel.write(data, timeout: timeout) { error in load.call { completionHandler(error) } }
  }

  /// Writes bytes, after earlier writes, and returns when the connection has accepted them.
  ///
  /// Cancelling the calling Swift task withdraws the write. Where a part of it was sent, the rest is sent in the background; the stream
  /// stays usable.
  /// - Throws: `URLError.timedOut`, and what the task ended with; `CancellationError`.
  open func write(_ data: Data, timeout: TimeInterval) async throws {
    guard let channel else { throw Self.unmade }
    let caller = StreamCaller(channel)
    try await withTaskCancellationHandler {
      try await withUnsafeThrowingContinuation { (continuation: UnsafeContinuation<Void, any Error>) in
        caller.ask(continuation) { channel, caller in
          channel.write(data, timeout: timeout, by: caller) {
            continuation.resume(with: $0.map { .failure($0) } ?? .success(()))
          }
        }
      }
    } onCancel: {
      caller.cancel()
    }
  }

  // MARK: Closing

  /// Closes the output, after pending reads and writes; the peer reads the end of the stream. Reading continues.
  open func closeWrite() { channel?.barrier(.closeWrite) }

  /// Closes the input, after pending reads and writes: later bytes are discarded. Writing continues.
  open func closeRead() { channel?.barrier(.closeRead) }

  // MARK: TLS

  /// Starts TLS with the host that the task was made with, after pending reads and writes. Later reads and writes are protected.
  ///
  /// The host's certificate is judged as for `https`: the delegate gets a challenge; without a delegate the session's authorities decide.
  /// Nothing is read or written before the answer. The delegate is not asked for a client certificate.
  ///
  /// Unread plaintext fails the task with `URLError.secureConnectionFailed`: it would pass for data that TLS has protected. A connection
  /// that is closed without close_notify (RFC 8446, section 6.1) may have been truncated: reads get the received bytes, and then fail with
  /// `URLError.networkConnectionLost`.
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

  /// Hands the connection over as a pair of streams, after pending reads and writes: the delegate gets them by
  /// ``URLSessionStreamDelegate/urlSession(_:streamTask:didBecome:outputStream:)-(_,_,InputStream,_)``, not open yet.
  ///
  /// The task ends when both streams are closed, or the connection is.
  open func captureStreams() { channel?.barrier(.capture) }

  /// The error of requests to a task that no session made.
  private static let unmade = URLError(
    .unsupportedURL, message: "A stream task that no session made has no connection.", url: nil)
}
