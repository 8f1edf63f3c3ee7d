import Foundation
internal import URLLoadingCLinux

/// Tells those who wait for connectivity when it may have come: when the kernel says that links, addresses or routes have changed
/// (rtnetlink(7)), and each after a time of its own as well.
///
/// That time is for what the kernel does not tell, such as a name service that answers again, and for systems that let nobody listen to
/// it, as a seccomp filter does. Messages are not looked into: any may be the one that helps, the removal of a route that forbids included.
///
/// One for the process, made at its first use.
///
/// Mutable state: `state`, guarded by its lock; actions are called without it.
package final class NetworkChanges: Sendable {
  /// Stands for one who waits.
  package struct Waiter: Hashable, Sendable {
    fileprivate let number: UInt64
  }

  private struct Entry: Sendable {
    let due: MonotonicInstant
    let action: @Sendable () -> Void
  }

  private struct State {
    var count: UInt64 = 0
    var lastNumber: UInt64 = 0
    var waiting: [UInt64: Entry] = [:]
    var pacing = ChangePacing()
    /// When all who wait are told of a change; nil while there is none to tell.
    var tellsAt: MonotonicInstant?
    var timer: (any DispatchSourceTimer)?
    var firesAt: MonotonicInstant?
    var watch: ReadinessMonitor.Watch?
  }

  package static let shared = NetworkChanges(descriptor: open_network_changes())

  /// Messages that are taken at once; what is left makes the descriptor ready again.
  private static let batch = 64
  /// Who is due within this time is told with those who are due.
  private static let leeway = Duration.milliseconds(50)

  private let state = Locked(State(), rank: .networkChanges)
  private let queue = DispatchQueue(label: "URLLoading network changes")
  private let descriptor: Int32

  /// - Parameter descriptor: where messages can be read, of which each is a change; closed with this object. Negative for none.
  init(descriptor: Int32) {
    self.descriptor = descriptor
    if descriptor >= 0 { watch() }
  }

  deinit {
    let (timer, watch) = state.withLock { ($0.timer, $0.watch) }
    timer?.cancel()
    if let watch { ReadinessMonitor.shared.cancel(watch) }
    if descriptor >= 0 { close(descriptor) }
  }

  // MARK: Waiting

  /// Changes so far.
  package var count: UInt64 { state.withLock { $0.count } }

  /// Calls `action` once, on a queue of its own, when the network may be another than it was.
  /// - Parameters:
  ///   - count: ``count`` before the network was found lacking. What has changed since then counts.
  ///   - interval: the longest time to wait.
  package func wait(
    since count: UInt64, atMost interval: Duration, _ action: @escaping @Sendable () -> Void
  ) -> Waiter {
    let now = MonotonicInstant.now
    return state.withLock { state in
      state.lastNumber += 1
      let due = now.advanced(by: interval)
      state.waiting[state.lastNumber] = Entry(due: due, action: action)
      schedule(&state, at: due)
      if state.count != count { tell(&state, now) }
      return Waiter(number: state.lastNumber)
    }
  }

  /// Ends a wait; its action is not called any more, unless it is just being called.
  package func cancel(_ waiter: Waiter) {
    let entry = state.withLock { $0.waiting.removeValue(forKey: waiter.number) }
    // What the action holds is not released under the lock.
    withExtendedLifetime(entry) {}
  }

  /// The network has changed.
  package func recordChange() {
    let now = MonotonicInstant.now
    state.withLock { state in
      state.count += 1
      if !state.waiting.isEmpty { tell(&state, now) }
    }
  }

  // MARK: Telling

  private func tell(_ state: inout State, _ now: MonotonicInstant) {
    guard state.tellsAt == nil else { return }
    let due = state.pacing.due(at: now)
    state.tellsAt = due
    schedule(&state, at: due)
  }

  private func schedule(_ state: inout State, at instant: MonotonicInstant) {
    guard state.firesAt.map({ instant < $0 }) ?? true else { return }
    state.firesAt = instant
    let nanoseconds = max(0, instant.nanoseconds - MonotonicInstant.now.nanoseconds)
    let deadline = DispatchTime.now() + .nanoseconds(Int(nanoseconds))
    if let timer = state.timer { return timer.schedule(deadline: deadline) }
    let timer = DispatchSource.makeTimerSource(queue: queue)
    timer.setEventHandler { [weak self] in self?.fire() }
    timer.schedule(deadline: deadline)
    state.timer = timer
    timer.resume()
  }

  private func fire() {
    let now = MonotonicInstant.now
    let entries = state.withLock { state -> [Entry] in
      state.firesAt = nil
      let tellsAll = state.tellsAt.map { $0 <= now } ?? false
      if tellsAll {
        state.tellsAt = nil
        state.pacing.told(at: now)
      }
      let horizon = now.advanced(by: Self.leeway)
      // In the order in which they came.
      let due = state.waiting.filter { tellsAll || $0.value.due <= horizon }.sorted { $0.key < $1.key }
      for (number, _) in due { state.waiting[number] = nil }
      let next = [state.tellsAt, state.waiting.values.lazy.map(\.due).min()].compactMap { $0 }.min()
      if let next { schedule(&state, at: next) }
      return due.map(\.value)
    }
    for entry in entries { entry.action() }
  }

  // MARK: The kernel's messages

  private func watch() {
    let watch = ReadinessMonitor.shared.watch(descriptor, of: ()) { [weak self] in self?.read() }
    state.withLock { $0.watch = watch }
  }

  /// On the monitor's thread.
  private func read() {
    switch Self.take(from: descriptor) {
    case .change:
      recordChange()
      watch()
    // It was said to be ready, and may be said so again at once.
    case .nothing: queue.asyncAfter(deadline: .now() + 1) { [weak self] in self?.watch() }
    case .broken: break
    }
  }

  enum Reading: Equatable { case change, nothing, broken }

  /// Takes messages without waiting for any.
  static func take(from descriptor: Int32) -> Reading {
    var result = Reading.nothing
    for _ in 0..<batch {
      // A message that does not fit is cut off: that it came is all that counts.
      let count = withUnsafeTemporaryAllocation(byteCount: 64, alignment: 8) { buffer in
        recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
      }
      switch Self.judge(count, errno) {
      case .change: result = .change
      case .nothing: return result
      case .broken: return result == .change ? .change : .broken
      }
    }
    return result
  }

  /// What the result of `recv(2)` means.
  static func judge(_ count: Int, _ error: Int32) -> Reading {
    guard count < 0 else { return .change }
    switch error {
    // More came than the socket's buffer took (netlink(7)).
    case ENOBUFS: return .change
    case EAGAIN, EINTR: return .nothing
    default: return .broken
    }
  }
}
