internal import URLLoadingBase

/// A stream that has a delegate to tell.
protocol StreamEventTarget: AnyObject {
  /// Calls the delegate with what is true now; on a run loop.
  func tell()
}

/// Calls a stream's delegate on the run loops that it is scheduled in.
///
/// Mutable state: `state`, guarded by its lock.
final class StreamEvents: Sendable {
  // Safe to share: a run loop's `perform` may be called on any thread, and a target is called on its run loop alone.
  private struct State: @unchecked Sendable {
    weak var target: (any StreamEventTarget)?
    var loops: [(loop: RunLoop, mode: RunLoop.Mode)] = []
    var isPending = false
  }

  private let state = Locked(State())

  func target(_ target: any StreamEventTarget) { state.withLock { $0.target = target } }

  func schedule(in loop: RunLoop, _ mode: RunLoop.Mode) {
    state.withLock { $0.loops.append((loop, mode)) }
    notify()
  }

  func remove(from loop: RunLoop, _ mode: RunLoop.Mode) {
    state.withLock { $0.loops.removeAll { $0.loop === loop && $0.mode == mode } }
  }

  private func pendingTarget() -> (any StreamEventTarget)? {
    state.withLock { state in
      state.isPending = false
      return state.target
    }
  }

  /// Has the delegate called, once for many changes.
  func notify() {
    let loop = state.withLock { state -> RunLoop? in
      guard !state.isPending, let first = state.loops.first else { return nil }
      state.isPending = true
      return first.loop
    }
    loop?.perform {
      self.pendingTarget()?.tell()
    }
  }
}
