import Foundation
import URLLoadingBase
import URLLoadingCurlTransport

/// A body source that a test feeds.
final class TestBodySource: TransferBodySource {
  struct Failure: Error, Equatable {}

  private struct State {
    var bytes: [UInt8]
    var offset = 0
    /// Bytes that may be read; beyond it the source says `wait`.
    var available: Int
    var fails = false
    var waits = 0
    var rewinds = 0
  }

  private let state: Locked<State>
  private let canRewind: Bool
  private let waitSignal: Signal<Int>?

  init(_ bytes: [UInt8], available: Int? = nil, canRewind: Bool = true, waitSignal: Signal<Int>? = nil) {
    state = Locked(State(bytes: bytes, available: available ?? bytes.count + 1))
    self.canRewind = canRewind
    self.waitSignal = waitSignal
  }

  var rewindCount: Int { state.withLock { $0.rewinds } }

  func allow(_ count: Int) { state.withLock { $0.available = count } }
  func fail() { state.withLock { $0.fails = true } }

  func read(into buffer: UnsafeMutableRawBufferPointer) -> BodyRead {
    let result: BodyRead = state.withLock { state in
      if state.fails { return .failed(Failure()) }
      let end = min(state.available, state.bytes.count)
      let count = min(buffer.count, end - state.offset)
      if count > 0 {
        buffer.copyBytes(from: state.bytes[state.offset..<(state.offset + count)])
        state.offset += count
        return .bytes(count)
      }
      if state.available > state.bytes.count { return .end }
      state.waits += 1
      return .wait
    }
    if case .wait = result { waitSignal?.send(1) }
    return result
  }

  func rewind() -> Bool {
    state.withLock { state in
      state.rewinds += 1
      guard canRewind else { return false }
      state.offset = 0
      return true
    }
  }
}
