import Dispatch
import Foundation
import OpenCombine

/// Runs actions in the default mode of the run loop, in their order.
///
/// The main run loop's are given to `DispatchQueue.main`, which it serves: in a program with an asynchronous `main`, or one that calls
/// `dispatchMain()`, that queue runs on Linux, and the run loop does not. That of another thread has to be run by it.
extension RunLoop: @retroactive Scheduler {
  /// A moment.
  public typealias SchedulerTimeType = SchedulerDate

  /// There are no options.
  public struct SchedulerOptions: Sendable {
    /// No options.
    public init() {}
  }

  /// The moment.
  public var now: SchedulerTimeType { SchedulerTimeType(Date()) }

  /// None.
  public var minimumTolerance: SchedulerTimeType.Stride { 0 }

  /// Runs an action as soon as the run loop comes to it.
  public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
    schedule(ScheduledAction(action))
  }

  /// Runs an action at a moment. There is no tolerance: it runs as soon as it may.
  public func schedule(
    after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) {
    let action = ScheduledAction(action)
    // Safe to carry to another thread: blocks and timers may be added from any (CFRunLoop has a lock).
    nonisolated(unsafe) let loop = self
    DelayedActions.shared.add(at: date.date) { loop.schedule(action) }
  }

  private func schedule(_ action: ScheduledAction) {
    guard self !== RunLoop.main else { return DispatchQueue.main.async { action.run() } }
    perform { action.run() }
    // A block alone does not wake a run loop that waits.
    add(Timer(fire: Date(), interval: 0, repeats: false) { _ in }, forMode: .default)
  }

  /// Runs an action at a moment and then again and again, until what is returned is cancelled or released. A run loop that is late runs
  /// it once for all intervals that it has missed.
  public func schedule(
    after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?, _ action: @escaping () -> Void
  ) -> any Cancellable {
    guard self !== RunLoop.main else {
      return DispatchQueue.main.schedule(
        after: .init(.now() + date.delay), interval: .seconds(interval.timeInterval),
        tolerance: .seconds(tolerance.timeInterval), action)
    }
    let repeated = RepeatedAction(action)
    let timer = Timer(fire: date.date, interval: interval.timeInterval, repeats: true) { _ in repeated.run() }
    timer.tolerance = tolerance.timeInterval
    add(timer, forMode: .default)
    return AnyCancellable {
      timer.invalidate()
      repeated.cancel()
    }
  }
}
