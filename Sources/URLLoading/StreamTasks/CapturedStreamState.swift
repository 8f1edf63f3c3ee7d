internal import URLLoadingBase

/// The part that a connection's input and output stream have in common: status, error, delegate, and the events that were reported to it.
///
/// Mutable state: `state`, guarded by its lock.
final class CapturedStreamState: Sendable {
  // Safe to share: guarded by the lock that it is in; a delegate is called on its stream's run loop alone.
  private struct State: @unchecked Sendable {
    var status = Stream.Status.notOpen
    var error: (any Error)?
    weak var delegate: (any StreamDelegate)?
    var hasToldOpen = false
    var hasToldEnd = false
  }

  private let state = Locked(State())
  let events = StreamEvents()

  var status: Stream.Status { state.withLock { $0.status } }
  var error: (any Error)? { state.withLock { $0.error } }

  var delegate: (any StreamDelegate)? {
    get { state.withLock { Carried(delegate: $0.delegate) }.delegate }
    set {
      let carried = Carried(delegate: newValue)
      state.withLock { $0.delegate = carried.delegate }
    }
  }

  // Safe to carry: see State.
  private struct Carried: @unchecked Sendable { let delegate: (any StreamDelegate)? }

  func open() {
    state.withLock { if $0.status == .notOpen { $0.status = .open } }
    events.notify()
  }

  /// - Returns: false where it was closed before.
  func close() -> Bool {
    state.withLock { state in
      defer { state.status = .closed }
      return state.status != .closed
    }
  }

  /// A read or a write has completed: the delegate may be due an event.
  /// - Parameter atEnd: whether the end of the stream was read.
  func completed(atEnd: Bool = false) {
    if atEnd { state.withLock { $0.status = .atEnd } }
    events.notify()
  }

  func failed(_ error: any Error) {
    state.withLock { state in
      state.status = .error
      state.error = error
    }
    events.notify()
  }

  /// Reports the current state to the delegate.
  /// - Parameter ready: `hasBytesAvailable` or `hasSpaceAvailable`, where an open stream has either; nil for none.
  func tell(_ stream: Stream, _ ready: Stream.Event?) {
    guard let delegate else { return }
    let opens = state.withLock { state in
      guard state.status != .notOpen else { return false }
      return !exchange(&state.hasToldOpen, with: true)
    }
    if opens { delegate.stream(stream, handle: .openCompleted) }
    switch status {
    case .open: if let ready { delegate.stream(stream, handle: ready) }
    case .atEnd: if isFirstEnd() { delegate.stream(stream, handle: .endEncountered) }
    case .error: if isFirstEnd() { delegate.stream(stream, handle: .errorOccurred) }
    default: break
    }
  }

  private func isFirstEnd() -> Bool {
    state.withLock { !exchange(&$0.hasToldEnd, with: true) }
  }
}
