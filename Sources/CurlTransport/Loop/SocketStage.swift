/// How far a socket of libcurl's has come, and with that, whether libcurl will report its end.
///
/// libcurl closes connections through a callback (CURLOPT_CLOSESOCKETFUNCTION), but failed connection attempts and the
/// pipe of its resolver thread without one (7.88). The number is then soon reused for a file that epoll does not watch
/// yet.
enum SocketStage {
  /// May be closed at any time without a callback.
  case unannounced
  /// Made for a connection.
  case opened
  /// Waits for its connection.
  case connecting
  /// Was connected: its end is reported.
  case connected

  /// When a change of interest has to reach epoll.
  enum Registration {
    /// At once, whatever is registered.
    case atOnce
    /// At the end of the turn, if it differs from what the kernel knows.
    case later
  }

  /// libcurl waits for something of the socket, or for nothing any more.
  /// - Parameter isConnected: whether the number still stands for the socket that was opened under it, and that has a connection.
  mutating func wants(isReadable: Bool, isWritable: Bool, isConnected: @autoclosure () -> Bool) -> Registration {
    switch self {
    case .connected: return .later
    case .connecting where isReadable:
      self = .connected
      return .later
    case .connecting where isWritable, .opened where isWritable:
      self = .connecting
      return .later
    case .connecting where isConnected(), .opened where isConnected():
      // All was there at once: it was connected, written to and read without another wait.
      self = .connected
      return .later
    case .unannounced, .opened, .connecting:
      // A connection begins with a wait until it can be written to (connect(2)): what is only read is a pipe with the number of a
      // socket that is no more.
      self = .unannounced
      return .atOnce
    }
  }
}
