import Synchronization

/// Hears of the connections that libcurl makes for an engine, and of their ends, on the loop's thread, in the midst of libcurl's work.
package final class ConnectionObserver: Sendable, Equatable {
  private static let lastNumber = Atomic<UInt64>(0)

  let opened: @Sendable (ObservedConnection) -> Void
  let closed: @Sendable (ObservedConnection) -> Void

  package init(
    opened: @escaping @Sendable (ObservedConnection) -> Void, closed: @escaping @Sendable (ObservedConnection) -> Void
  ) {
    self.opened = opened
    self.closed = closed
  }

  /// A number that no other connection has.
  static func nextNumber() -> UInt64 { lastNumber.wrappingAdd(1, ordering: .relaxed).newValue }

  package static func == (first: ConnectionObserver, second: ConnectionObserver) -> Bool { first === second }
}
