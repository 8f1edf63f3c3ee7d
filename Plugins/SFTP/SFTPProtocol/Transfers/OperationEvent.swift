import URLLoading

/// What an operation on a server tells the load that it is for, on the connection's thread. One of the last three ends it.
enum OperationEvent {
  /// As many files are open as the server takes: it is other loads that are waited for.
  case waits
  /// It is the server that is waited for.
  case began
  case responded(URLResponse)
  /// Bytes of the body; valid during the call.
  case bytes(UnsafeRawBufferPointer)
  /// Entries of a directory.
  case entries([URLDirectoryEntry])
  /// So many bytes of an upload are with the server.
  case sent(Int64)
  case finished
  case failed(URLError)
  /// The connection went away.
  /// - Parameters:
  ///   - remark: a sentence for the error's message, should it come to one.
  ///   - retry: makes the operation that goes on with another connection; nil where nobody can.
  case lost(
    SFTPFailure, remark: String = "",
    retry: (@Sendable (RemoteServer, @escaping RemoteOperation.Report) -> any RemoteOperation)?)
}

/// A connection that is ready for operations.
struct RemoteServer: Sendable {
  let client: SFTPClient
  /// Runs something on the connection's thread.
  let perform: @Sendable (@escaping @Sendable () -> Void) -> Void
}

/// Work on a server for one load. Everything is called on the connection's thread.
protocol RemoteOperation: AnyObject, Sendable {
  typealias Report = @Sendable (OperationEvent) -> Void

  /// Begins; once.
  func start()

  /// The consumer is slow, or is not any more.
  func pause(_ pauses: Bool)

  /// Nobody wants the result any more: leaves nothing open behind.
  func stop()
}
