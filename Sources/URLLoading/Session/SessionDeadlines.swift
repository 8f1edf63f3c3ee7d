internal import Synchronization
internal import URLLoadingBase

/// Wakes the loads of a session when one of their timeouts may have passed.
///
/// One timer for all loads: it fires at the earliest deadline that was announced, asks every load, and goes on with
/// the earliest of what they answer. Deadlines that move back, as they do whenever data comes, cost nothing until then.
///
/// Mutable state: `state`, guarded by its lock; `announcedWake`, an atomic that is changed under that lock.
final class SessionDeadlines: Sendable {
  private struct State {
    var timer: (any DispatchSourceTimer)?
    var wakesAt: MonotonicInstant?
    var isStopped = false
  }

  private let state = Locked(State())
  /// `wakesAt` in nanoseconds, or the largest number. Every load announces a deadline, hardly one is the earliest: to look is cheaper
  /// than to take a lock that all threads take. A load that finds an earlier one here is among those that are asked when that passes:
  /// it is in the registry, and this is taken back before the registry is read.
  private let announcedWake = Atomic(Int64.max)
  /// Whose loads are looked at.
  private let tasks: TaskRegistry
  private static let queue = DispatchQueue(label: "URLSession deadlines")

  init(of tasks: TaskRegistry) {
    self.tasks = tasks
  }

  /// A load of the session has a deadline that may be earlier than all others.
  func look(by instant: MonotonicInstant) {
    guard instant.nanoseconds < announcedWake.load(ordering: .acquiring) else { return }
    state.withLock { arm(&$0, by: instant) }
  }

  func stop() {
    state.withLock { state in
      state.timer?.cancel()
      state.timer = nil
      note(nil, in: &state)
      state.isStopped = true
    }
  }

  private func arm(_ state: inout State, by instant: MonotonicInstant) {
    guard !state.isStopped, state.wakesAt.map({ instant < $0 }) ?? true else { return }
    note(instant, in: &state)
    if let timer = state.timer {
      Self.set(timer, to: instant)
    } else {
      // The first timer of a process starts a thread: not while a load waits to begin.
      Self.queue.async { [self] in makeTimer() }
    }
  }

  private func note(_ wake: MonotonicInstant?, in state: inout State) {
    state.wakesAt = wake
    announcedWake.store(wake?.nanoseconds ?? .max, ordering: .sequentiallyConsistent)
  }

  private func makeTimer() {
    state.withLock { state in
      guard state.timer == nil, let instant = state.wakesAt else { return }
      let timer = DispatchSource.makeTimerSource(queue: Self.queue)
      timer.setEventHandler { [weak self] in self?.fire() }
      Self.set(timer, to: instant)
      state.timer = timer
      timer.resume()
    }
  }

  private static func set(_ timer: any DispatchSourceTimer, to instant: MonotonicInstant) {
    timer.schedule(deadline: .now() + max(.zero, MonotonicInstant.now.duration(to: instant)).dispatchInterval)
  }

  private func fire() {
    state.withLock { note(nil, in: &$0) }
    let now = MonotonicInstant.now
    var next: MonotonicInstant?
    for task in tasks.resumed {
      if let deadline = task.load.checkDeadline(at: now) { next = next.map { min($0, deadline) } ?? deadline }
    }
    if let next { look(by: next) }
  }
}

extension Duration {
  /// A time given in seconds; nil when it sets no limit: not finite, or longer than 100 years.
  init?(timeout seconds: TimeInterval) {
    guard seconds.isFinite, seconds < 3_153_600_000 else { return nil }
    self = .nanoseconds(Int64(max(0, seconds) * 1_000_000_000))
  }

  var dispatchInterval: DispatchTimeInterval {
    let (seconds, attoseconds) = components
    return .nanoseconds(
      Int(clamping: seconds).multipliedReportingOverflow(by: 1_000_000_000).partialValue
        + Int(attoseconds / 1_000_000_000) + 1)
  }
}
