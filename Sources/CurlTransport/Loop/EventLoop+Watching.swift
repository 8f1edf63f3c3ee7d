/// The events that a socket is watched for.
package struct SocketInterest: OptionSet, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// A read would not block; also at end of file and after an error.
  package static let readable = SocketInterest(rawValue: 1)
  /// A write would not block; also after an error.
  package static let writable = SocketInterest(rawValue: 2)
}

extension EventLoop {
  /// Calls a handler on the loop's thread whenever a socket that is not libcurl's is ready. A later call for the same
  /// socket replaces the handler; an empty interest removes it, which must happen before the socket is closed. Loop
  /// thread only.
  package func watch(
    _ descriptor: Int32, for interest: SocketInterest, _ handler: @escaping (SocketInterest) -> Void = { _ in }
  ) {
    checkIsolated()
    reactor.watch(descriptor, for: interest, handler)
  }
}
