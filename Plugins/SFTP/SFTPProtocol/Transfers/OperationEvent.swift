import URLLoading

/// What an operation on a server reports to its load, on the connection's thread. One of the last three ends it.
enum OperationEvent {
  /// As many files are open as the server takes: the load waits for other loads.
  case waits
  /// The load waits for the server.
  case began
  case responded(URLResponse)
  /// Bytes of the body; valid during the call.
  case bytes(UnsafeRawBufferPointer)
  case entries([URLDirectoryEntry])
  /// How many bytes of an upload the server has confirmed.
  case sent(Int64)
  case finished
  case failed(URLError)
  /// The connection was lost.
  /// - Parameters:
  ///   - remark: a sentence for the message of an error that comes of it.
  ///   - retry: makes the operation that continues on another connection; nil for the same from its beginning.
  case lost(SFTPFailure, remark: String = "", retry: RemoteOperation.Make? = nil)
}

/// A connection that is ready for operations.
struct RemoteServer: Sendable {
  let client: SFTPClient
  /// Runs a closure on the connection's thread.
  let perform: @Sendable (@escaping @Sendable () -> Void) -> Void
}
