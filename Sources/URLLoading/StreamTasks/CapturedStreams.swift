internal import Dispatch
internal import URLLoadingBase

/// A stream task's connection as a pair of Foundation's streams.
///
/// Mutable state: `state`, guarded by its lock.
final class CapturedStreams: Sendable {
  // Safe to share: the streams guard themselves; they are only notified.
  private struct State: @unchecked Sendable {
    weak var input: CapturedInputStream?
    weak var output: CapturedOutputStream?
  }

  let channel: StreamChannel
  private let state = Locked(State())

  init(_ channel: StreamChannel) {
    self.channel = channel
  }

  func makeInput() -> InputStream {
    let stream = CapturedInputStream(self)
    state.withLock { $0.input = stream }
    return stream
  }

  func makeOutput() -> OutputStream {
    let stream = CapturedOutputStream(self)
    state.withLock { $0.output = stream }
    return stream
  }

  /// The state may have changed: notifies the streams, whose delegates get the events that are due.
  func notify() {
    let events = state.withLock { [$0.input?.state.events, $0.output?.state.events] }
    for case let events? in events { events.notify() }
  }

  /// Blocks until bytes are available.
  func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength: Int) -> Result<Int, any Error> {
    let done = DispatchSemaphore(value: 0)
    let outcome = Locked<Result<Data, any Error>>(.success(Data()))
    channel.read(minimum: 1, maximum: max(1, maxLength), timeout: 0) { data, _, error in
      outcome.withLock { $0 = error.map { .failure($0) } ?? .success(data ?? Data()) }
      done.signal()
    }
    done.wait()
    return outcome.withLock { $0 }.map { data in
      data.copyBytes(to: buffer, count: data.count)
      return data.count
    }
  }

  /// Blocks until the bytes were written.
  func write(_ bytes: Data) -> (any Error)? {
    let done = DispatchSemaphore(value: 0)
    let outcome = Locked<Failure>(Failure())
    channel.write(bytes, timeout: 0) { error in
      outcome.withLock { $0.error = error }
      done.signal()
    }
    done.wait()
    return outcome.withLock { $0.error }
  }

  private struct Failure { var error: (any Error)? }
}
