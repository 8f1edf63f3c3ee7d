import Foundation

/// Gives its bytes, then blocks its reader until it is released, and ends.
package final class StallingStream: InputStream {
  /// What a stream and its test tell each other.
  package struct Events: Sendable {
    /// All bytes were read, and more are wanted.
    package let hasStalled = AsyncEvent()
    /// Lets the reader go on.
    package let released = AsyncEvent()

    /// Events of one stream.
    package init() {}
  }

  private let events: Events
  private var rest: Data

  /// A stream that gives these bytes before it stalls.
  package init(_ events: Events, after bytes: Data = Data()) {
    rest = bytes
    self.events = events
    super.init(data: Data())
  }

  package override var streamStatus: Stream.Status { .open }
  package override func open() {}
  package override func close() {}

  package override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength length: Int) -> Int {
    guard !rest.isEmpty else {
      events.hasStalled.signal()
      _ = events.released.waitBlocking()
      return 0
    }
    let count = min(length, rest.count)
    rest.copyBytes(to: buffer, count: count)
    rest = rest.dropFirst(count)
    return count
  }
}
