import Foundation
import URLLoadingTestServers

/// Blocks in its first read until it is released, and then ends.
final class BlockingStream: InputStream {
  /// What a stream and its test tell each other.
  struct Events: Sendable {
    let isReading = AsyncEvent()
    let released = AsyncEvent()
  }

  private let events: Events

  init(_ events: Events) {
    self.events = events
    super.init(data: Data())
  }

  override var streamStatus: Stream.Status { .open }
  override func open() {}
  override func close() {}
  override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength length: Int) -> Int {
    events.isReading.signal()
    _ = events.released.waitBlocking()
    return 0
  }
}
