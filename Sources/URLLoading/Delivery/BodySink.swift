/// Where the body of a task ends up.
///
/// Calls come one after another. An implementation guards its own state: an end may come from another thread than data.
protocol BodySink: AnyObject, Sendable {
  /// The response's head is known; the sink may prepare.
  func begin(expectedLength: Int64)

  /// The response itself, for a sink that is the load's only owner (``LoadPlan/Owner/reader``). Comes ahead of the body.
  func begin(response: URLResponse)

  /// The load has ended: for a sink that is the load's only owner. Called after the body, or in the middle of it.
  func end(_ error: (any Error)?)

  /// The same, for every sink.
  /// - Returns: whether the sink calls `last`, after its own calls to the owner. Otherwise the caller does.
  func end(_ error: (any Error)?, then last: @escaping @Sendable () -> Void) -> Bool

  /// Whether the sink buffers bytes for a consumer, which count against the limit of the task (back-pressure).
  var holdsBytes: Bool { get }

  /// Takes bytes.
  /// - Returns: whether they are buffered for the consumer; ``BufferedSource/consumed(_:)`` is called when it has taken them.
  /// - Throws: what ends the load.
  func write(_ bytes: UnsafeRawBufferPointer) throws -> Bool

  /// Takes bytes that it may keep without a copy; else as ``write(_:)-(UnsafeRawBufferPointer)``.
  func write(_ data: Data) throws -> Bool
}

extension BodySink {
  func begin(expectedLength: Int64) {}
  func begin(response: URLResponse) {}
  func end(_ error: (any Error)?) {}
  func end(_ error: (any Error)?, then last: @escaping @Sendable () -> Void) -> Bool {
    end(error)
    return false
  }
  func write(_ data: Data) throws -> Bool { try data.withUnsafeBytes { try write($0) } }
}

/// The result for a task's owner, beside response and error.
enum LoadedBody: Sendable {
  case none
  case data(Data)
  case file(URL)
}
