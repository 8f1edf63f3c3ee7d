import Dispatch
import Foundation
import OpenCombine

/// Runs actions as operations of the queue. Those of a queue that is not serial run at the same time, in any order, and values of a
/// publisher with them.
extension OperationQueue: @retroactive Scheduler {
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

  /// Runs an action as soon as the queue comes to it.
  public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
    let action = ScheduledAction(action)
    addOperation { action.run() }
  }

  /// Adds an action to the queue at a moment. There is no tolerance: it is added as soon as it may be.
  public func schedule(
    after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) {
    let action = ScheduledAction(action)
    DelayedActions.shared.add(at: date.date) { self.addOperation { action.run() } }
  }

  /// Adds an action to the queue at a moment and then again and again, until what is returned is cancelled or released. A queue that is
  /// late runs it once for all intervals that it has missed.
  public func schedule(
    after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?, _ action: @escaping () -> Void
  ) -> any Cancellable {
    let repeated = RepeatedAction(action)
    let timer = DispatchSource.makeTimerSource()
    timer.setEventHandler { if repeated.isDue() { self.addOperation { repeated.run() } } }
    timer.schedule(
      after: .now() + date.delay, every: Int(saturating: interval.timeInterval * 1e9),
      leeway: Int(saturating: tolerance.timeInterval * 1e9))
    timer.resume()
    return AnyCancellable {
      timer.cancel()
      repeated.cancel()
    }
  }
}
