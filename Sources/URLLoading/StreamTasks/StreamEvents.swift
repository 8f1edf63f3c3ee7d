internal import URLLoadingBase

/// A stream that reports events to a delegate.
protocol StreamEventTarget: AnyObject {
  /// Reports the current state to the delegate; called on the run loop.
  func tell()
}

/// Calls a stream's delegate on the run loop that it is scheduled in.
///
/// Mutable state: `state`, guarded by its lock.
final class StreamEvents: Sendable {
  private struct Schedule {
    let loop: RunLoop
    let mode: RunLoop.Mode
    /// Tells a call for this schedule from one for another that was removed.
    let number: UInt64
    var isPending = false
  }

  // Safe to share: a run loop's `perform` may be called on any thread, and a target is called on its run loop alone.
  private struct State: @unchecked Sendable {
    weak var target: (any StreamEventTarget)?
    var schedules: [Schedule] = []
    var lastNumber: UInt64 = 0
  }

  private let state = Locked(State())

  func target(_ target: any StreamEventTarget) { state.withLock { $0.target = target } }

  func schedule(in loop: RunLoop, _ mode: RunLoop.Mode) {
    state.withLock { state in
      state.lastNumber += 1
      state.schedules.append(Schedule(loop: loop, mode: mode, number: state.lastNumber))
    }
    notify()
  }

  func remove(from loop: RunLoop, _ mode: RunLoop.Mode) {
    state.withLock { $0.schedules.removeAll { $0.loop === loop && $0.mode == mode } }
  }

  /// Schedules a call of the delegate; changes until then are coalesced.
  func notify() {
    let pending = state.withLock { state -> Carried? in
      guard let first = state.schedules.first, !first.isPending else { return nil }
      state.schedules[0].isPending = true
      return Carried(schedule: first)
    }
    guard let schedule = pending?.schedule else { return }
    let number = schedule.number
    schedule.loop.perform(inModes: [schedule.mode]) { self.takeTarget(of: number)?.tell() }
  }

  // Safe to carry: see State.
  private struct Carried: @unchecked Sendable { let schedule: Schedule }

  /// The target, unless the schedule was removed meanwhile.
  private func takeTarget(of number: UInt64) -> (any StreamEventTarget)? {
    state.withLock { state -> CarriedTarget? in
      guard let index = state.schedules.firstIndex(where: { $0.number == number }) else { return nil }
      state.schedules[index].isPending = false
      return CarriedTarget(target: state.target)
    }?.target
  }

  // Safe to carry: see State.
  private struct CarriedTarget: @unchecked Sendable { let target: (any StreamEventTarget)? }
}
