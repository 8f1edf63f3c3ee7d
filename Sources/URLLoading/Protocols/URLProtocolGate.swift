internal import URLLoadingBase

/// Back-pressure: whether a load takes more of what an instance sends. The load makes one gate for each attempt.
///
/// The gate closes while the consumer is slow, the task is suspended or a delegate decides, and ends with the attempt. It is closed
/// before the call to the client returns whose bytes filled the consumer's buffer. An instance gets it from its client
/// (``URLProtocolSessionClient/gate``) and follows it in one of three ways: a function awaits ``waitUntilOpen()``, a thread that
/// may block calls ``blockUntilOpen()``, and event-driven code registers with ``observe(_:)``.
///
/// Mutable state: `state`, guarded by its lock.
public final class URLProtocolGate: Sendable {
  private struct State {
    var isOpen = true
    var hasEnded = false
    var waiters: [Waiter] = []
    var observers: [@Sendable (Bool) -> Void] = []
    /// The observers have not been called since the last change.
    var hasChanged = false
    var isAnnouncing = false
    var endActions: [@Sendable () -> Void] = []
    /// The thread that is in `startLoading`, which waits where it sends.
    var producer: pthread_t?

    /// Whether the caller is to call the observers: the last change was not announced, and no other thread is calling them.
    mutating func beginsToAnnounce() -> Bool {
      guard !isAnnouncing, !hasEnded, !observers.isEmpty, hasChanged else { return false }
      isAnnouncing = true
      return true
    }
  }

  private let state = Locked(State())

  /// Makes an open gate: for tests of a protocol class that have a client of their own.
  public init() {}

  /// Whether more is wanted now.
  public var isOpen: Bool { state.withLock { $0.isOpen } }

  /// Whether the attempt has ended, for whatever reason: what is sent from now on is ignored.
  public var hasEnded: Bool { state.withLock { $0.hasEnded } }

  /// Returns when more is wanted.
  /// - Throws: `CancellationError` when the attempt has ended, or the surrounding task was cancelled.
  public func waitUntilOpen() async throws(CancellationError) {
    if !isOpen {
      await withUnsafeContinuation { continuation in
        if !enqueue(.function(continuation)) { continuation.resume() }
      }
    }
    // A loading function may send from tasks of its own, which are not cancelled.
    if hasEnded || Task.isCancelled { throw CancellationError() }
  }

  /// Blocks the calling thread until more is wanted. Not for Swift's cooperative threads, nor for the transfer loop.
  /// - Throws: `CancellationError` when the attempt has ended.
  public func blockUntilOpen() throws(CancellationError) {
    if !isOpen {
      let semaphore = DispatchSemaphore(value: 0)
      if enqueue(.thread(semaphore)) { semaphore.wait() }
    }
    if hasEnded { throw CancellationError() }
  }

  /// Calls `observer` after each change with whether the gate is open, and at once if it is closed: one call at a time, on any
  /// thread, the last one with the last state. Changes in quick succession are coalesced, so that a call may repeat the state of
  /// the one before. The end is no change, and releases the observer. On a busy machine the call comes later than the change: check
  /// ``isOpen`` before each piece, and let the observer resume the sender.
  public func observe(_ observer: @escaping @Sendable (_ isOpen: Bool) -> Void) {
    state.withLock { state in
      guard !state.hasEnded else { return }
      state.observers.append(observer)
      if !state.isOpen { state.hasChanged = true }
    }
    announce()
  }

  /// Calls `action` once when the attempt ends; at once if it has.
  public func whenEnded(_ action: @escaping @Sendable () -> Void) {
    let hasEnded = state.withLock { state in
      if !state.hasEnded { state.endActions.append(action) }
      return state.hasEnded
    }
    if hasEnded { action() }
  }

  // MARK: The load's side

  /// Closes or opens the gate; ``announce()`` then resumes waiters and calls observers. May be called under locks.
  func set(isOpen: Bool) {
    state.withLock { state in
      guard !state.hasEnded, state.isOpen != isOpen else { return }
      state.isOpen = isOpen
      state.hasChanged = true
    }
  }

  /// Ends the gate; ``announce()`` then resumes waiters and calls end actions.
  func end() {
    state.withLock { state in
      state.isOpen = false
      state.hasEnded = true
    }
  }

  /// Resumes waiters and calls observers after ``set(isOpen:)`` or ``end()``. Not under locks.
  func announce() {
    // What observers hold may be a user's: it is released after the lock.
    var released: [@Sendable (Bool) -> Void] = []
    let (waiters, actions, announces) = state.withLock { state -> ([Waiter], [@Sendable () -> Void], Bool) in
      guard state.isOpen || state.hasEnded else { return ([], [], state.beginsToAnnounce()) }
      defer { state.waiters = [] }
      guard state.hasEnded else { return (state.waiters, [], state.beginsToAnnounce()) }
      defer { state.endActions = [] }
      released = exchange(&state.observers, with: [])
      return (state.waiters, state.endActions, false)
    }
    withExtendedLifetime(released) {}
    for waiter in waiters { waiter.resume() }
    for action in actions { action() }
    if announces { callObservers() }
  }

  // MARK: A thread in `startLoading`

  /// Runs `startLoading` of an instance whose sends may have to wait.
  func asProducer(_ start: () -> Void) {
    state.withLock { $0.producer = pthread_self() }
    start()
    state.withLock { $0.producer = nil }
  }

  /// Blocks while the gate is closed, if the caller is the thread in `startLoading`.
  func holdBackProducer() {
    let isProducer = state.withLock { state in
      guard !state.isOpen, !state.hasEnded, let producer = state.producer else { return false }
      return pthread_equal(producer, pthread_self()) != 0
    }
    if isProducer { try? blockUntilOpen() }
  }

  // MARK: Helpers

  private func enqueue(_ waiter: Waiter) -> Bool {
    state.withLock { state in
      guard !state.isOpen, !state.hasEnded else { return false }
      state.waiters.append(waiter)
      return true
    }
  }

  private func callObservers() {
    while true {
      let call = state.withLock { state -> ([@Sendable (Bool) -> Void], Bool)? in
        state.isAnnouncing = false
        guard state.beginsToAnnounce() else { return nil }
        state.hasChanged = false
        return (state.observers, state.isOpen)
      }
      guard let (observers, isOpen) = call else { return }
      for observer in observers { observer(isOpen) }
    }
  }
}
