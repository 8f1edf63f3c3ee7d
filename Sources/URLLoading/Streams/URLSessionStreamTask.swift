// Safe to share: what it adds to URLSessionTask never changes, and guards itself.
/// A TCP connection: bytes both ways, with TLS from the moment at which the owner asks for it.
///
/// The connection goes through the session's proxies, by those that its settings name for `https`: a proxy of HTTP makes a tunnel. Reads are
/// done in their order, and so are writes; what closes a direction, begins TLS or captures the streams waits for those that were asked for
/// before it. When one fails, those behind it in the same direction fail. Where the connection has broken, the task ends with that error,
/// once what the peer had sent was read. A task whose both directions are closed ends without one. Bytes that nobody reads wait in memory
/// up to ``URLSessionConfiguration/maximumBufferedBytesPerTask``; then the peer has to. A suspended task neither reads nor writes.
///
/// The request timeout is for the connection to be made, and for the handshake of TLS; once that is done, it may rest.
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
  /// Fewer than the minimum come at the end alone. A read that is not done in time fails, as do those behind it, and loses nothing: what
  /// it would have taken is there for the next one.
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
    let load = load
    channel.read(minimum: minBytes, maximum: maxBytes, timeout: timeout) { data, atEOF, error in
      load.call { completionHandler(data, atEOF, error) }
    }
  }

  /// Reads bytes, behind the reads before it. Cancelling the Swift task that waits takes the read out; the stream stays usable.
  /// - Returns: the bytes, nil for none, and whether nothing more will come.
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

  /// Writes bytes, behind the writes before it; the handler is called on the session's delegate queue when they were given to the connection.
  ///
  /// A write that is not done in time fails, as do those behind it; where a part of it was sent, so does the task.
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

  /// Writes bytes, behind the writes before it, and returns when they were given to the connection.
  ///
  /// Cancelling the Swift task that waits takes the write out. Where a part of it was sent the rest is sent, too, without being waited for;
  /// the stream stays usable.
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

  /// Closes the direction to the peer, which is told, behind the reads and writes that wait. Reading goes on.
  open func closeWrite() { channel?.barrier(.closeWrite) }

  /// Reads no more, behind the reads and writes that wait: what still comes is dropped. Writing goes on.
  open func closeRead() { channel?.barrier(.closeRead) }

  // MARK: TLS

  /// Begins TLS with the host that the task was made with, behind the reads and writes that wait. What is read and written later is protected.
  ///
  /// The host's certificate is judged as one of `https` is: the delegate gets a challenge, and without one the session's authorities
  /// decide. Nothing is read or written before it has answered. The delegate is not asked for a certificate of the client.
  ///
  /// What the peer sent in the clear before and was not read fails the task with `URLError.secureConnectionFailed`: it would pass for
  /// something that TLS has protected. A peer that ends the connection without saying so (RFC 8446, section 6.1) may have been cut off:
  /// reads get what has come, and then fail with `URLError.networkConnectionLost`.
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
