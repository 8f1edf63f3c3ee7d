internal import Synchronization
internal import URLLoadingBase

/// An object with deadlines apart from those of its load.
protocol DeadlineHolder: AnyObject, Sendable {
  /// Handles the deadlines that have passed, and announces the next one, if any, by ``SessionDeadlines/look(by:for:)``.
  func checkDeadlines(at now: MonotonicInstant)
}

/// Wakes the loads of a session when one of their timeouts may have passed.
///
/// One timer for all loads: it fires at the earliest deadline that was announced, asks every load for its deadline, and is set to
/// the earliest of these. Deadlines that move back, as they do whenever data comes, do not set the timer.
///
/// Mutable state: `state`, guarded by its lock; `wakesAt`, atomic, and written under that lock alone.
final class SessionDeadlines: Sendable {
  private struct State {
    var timer: (any DispatchSourceTimer)?
    var isStopped = false
    /// Those that have announced a deadline since they were asked last.
    var holders: [ObjectIdentifier: Holder] = [:]
  }

  private struct Holder { weak var object: (any DeadlineHolder)? }

  private let state = Locked(State(), rank: .sessionDeadlines)
  /// When the timer fires, in nanoseconds; the highest number where it does not. A load looks at it without the lock, and as a rule goes on.
  private let wakesAt = Atomic(Int64.max)
  private let tasks: TaskRegistry
  private static let queue = DispatchQueue(label: "URLSession deadlines")

  init(of tasks: TaskRegistry) {
    self.tasks = tasks
  }

  /// A load of the session has a deadline that may be earlier than all others.
  func look(by instant: MonotonicInstant) {
    guard instant.nanoseconds < wakesAt.load(ordering: .acquiring) else { return }
    state.withLock { state in
      guard !state.isStopped, instant.nanoseconds < wakesAt.load(ordering: .relaxed) else { return }
      wakesAt.store(instant.nanoseconds, ordering: .releasing)
      if let timer = state.timer {
        Self.set(timer, to: instant)
      } else {
        // The first timer of a process starts a thread: not while a load waits to begin.
        Self.queue.async { [self] in makeTimer() }
      }
    }
  }

  /// The same for an object with its own deadlines, whose load need not have been resumed.
  func look(by instant: MonotonicInstant, for holder: any DeadlineHolder) {
    state.withLock { $0.holders[ObjectIdentifier(holder)] = Holder(object: holder) }
    look(by: instant)
  }

  func stop() {
    state.withLock { state in
      state.timer?.cancel()
      state.timer = nil
      wakesAt.store(.max, ordering: .releasing)
      state.holders = [:]
      state.isStopped = true
    }
  }

  private func makeTimer() {
    state.withLock { state in
      let instant = MonotonicInstant(nanoseconds: wakesAt.load(ordering: .relaxed))
      guard state.timer == nil, instant != .distantFuture else { return }
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
    // Before the registry is read: a deadline announced from now on arms the timer itself. Whoever is not found there, or has another
    // deadline by now, has taken a lock after this one, and sees that no time is set.
    let holders = state.withLock { state in
      wakesAt.store(.max, ordering: .releasing)
      return exchange(&state.holders, with: [:])
    }
    let now = MonotonicInstant.now
    for holder in holders.values { holder.object?.checkDeadlines(at: now) }
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
