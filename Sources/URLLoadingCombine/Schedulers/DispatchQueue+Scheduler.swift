import Dispatch
import OpenCombine

/// Runs actions on the queue. Those of a concurrent queue run at the same time, in any order, and values of a publisher with them.
extension DispatchQueue: @retroactive Scheduler {
  /// How actions are run.
  public struct SchedulerOptions {
    /// The quality of service.
    public var qos: DispatchQoS
    /// The flags of the work items.
    public var flags: DispatchWorkItemFlags
    /// The group that is entered until the action has run; not for actions that are repeated.
    public var group: DispatchGroup?

    /// - Parameters:
    ///   - qos: the quality of service.
    ///   - flags: the flags of the work items.
    ///   - group: the group that is entered until the action has run.
    public init(qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [], group: DispatchGroup? = nil) {
      self.qos = qos
      self.flags = flags
      self.group = group
    }
  }

  /// The moment.
  public var now: SchedulerTimeType { SchedulerTimeType(.now()) }

  /// None.
  public var minimumTolerance: SchedulerTimeType.Stride { .nanoseconds(0) }

  /// Runs an action as soon as the queue comes to it.
  public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
    let (options, action) = (options ?? SchedulerOptions(), ScheduledAction(action))
    async(group: options.group, qos: options.qos, flags: options.flags) { action.run() }
  }

  /// Runs an action at a moment. There is no tolerance: it runs as soon as it may.
  public func schedule(
    after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) {
    let (options, action) = (options ?? SchedulerOptions(), ScheduledAction(action))
    let group = options.group
    group?.enter()
    asyncAfter(deadline: date.dispatchTime, qos: options.qos, flags: options.flags) {
      action.run()
      group?.leave()
    }
  }

  /// Runs an action at a moment and then again and again, until what is returned is cancelled or released. A queue that is late runs it
  /// once for all intervals that it has missed.
  public func schedule(
    after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?, _ action: @escaping () -> Void
  ) -> any Cancellable {
    let options = options ?? SchedulerOptions()
    let repeated = RepeatedAction(action)
    let timer = DispatchSource.makeTimerSource(queue: self)
    timer.setEventHandler(qos: options.qos, flags: options.flags) { repeated.run() }
    timer.schedule(after: date.dispatchTime, every: interval.magnitude, leeway: tolerance.magnitude)
    timer.resume()
    return AnyCancellable {
      timer.cancel()
      repeated.cancel()
    }
  }
}

extension DispatchSourceTimer {
  /// Dispatch ends the program for what is negative.
  /// - Parameters:
  ///   - interval: nanoseconds; what is not positive counts as one.
  ///   - leeway: nanoseconds.
  func schedule(after deadline: DispatchTime, every interval: Int, leeway: Int) {
    schedule(
      deadline: deadline, repeating: .nanoseconds(Swift.max(interval, 1)), leeway: .nanoseconds(Swift.max(leeway, 0)))
  }
}
