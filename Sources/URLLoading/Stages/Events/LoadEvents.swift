internal import URLLoadingBase

/// The events of one load on their way to the session's listener: recorded where they happen, reported one after another with no lock held.
///
/// Events are recorded in their order, under the load's lock where that decides it, and reported when it is free again: by the thread that
/// recorded them, or by one that is flushing already. A listener that has the load do something gets what comes of that after the event
/// which it was called with.
///
/// Mutable state: `state`, guarded by its lock, which is never held while the listener is called. It may be taken under the load's lock,
/// not the other way round.
final class LoadEvents: Sendable {
  fileprivate struct State {
    /// From the first event to the last, which the listener is told of even where nobody else has the task any more.
    var task: URLSessionTask?
    var waiting: [LoadEvent] = []
    /// A thread calls the listener, and will take what is recorded meanwhile.
    var isFlushing = false
    /// The last event is recorded.
    var isOver = false
    var isSuspended = false
    var isHeldBack = false
    var connection = ConnectionEvents()
  }

  private let listener: any URLSession.EventListener
  /// Whether bodies are to be recorded.
  let wantsBodies: Bool
  private let state = Locked(State(), rank: .loadEvents)

  init(_ listener: any URLSession.EventListener) {
    self.listener = listener
    wantsBodies = listener.wantsBodies
  }

  // MARK: Recording

  /// The task begins.
  func begin(_ task: URLSessionTask) {
    state.withLock { state in
      state.task = task
      state.waiting.append(.began)
    }
  }

  /// Records an event; ``flush()`` has to follow.
  func record(_ event: LoadEvent) {
    state.withLock { state in
      guard !state.isOver else { return }
      if case .chose = event { state.connection = ConnectionEvents() }
      state.waiting.append(event)
    }
  }

  /// Records what a transaction's metrics say of its connection, as far as that is new.
  func recordConnection(_ metrics: URLSessionTaskTransactionMetrics) {
    state.withLock { state in
      if !state.isOver { state.waiting += state.connection.news(in: metrics) }
    }
  }

  /// Records whether the load pauses, where that has changed.
  func recordFlow(isSuspended: Bool, isHeldBack: Bool) {
    state.withLock { state in
      guard !state.isOver else { return }
      if isSuspended != state.isSuspended {
        state.isSuspended = isSuspended
        state.waiting.append(isSuspended ? .paused(.suspended) : .resumed(.suspended))
      }
      if isHeldBack != state.isHeldBack {
        state.isHeldBack = isHeldBack
        state.waiting.append(isHeldBack ? .paused(.slowConsumer) : .resumed(.slowConsumer))
      }
    }
  }

  /// Records the end; nothing follows it.
  func recordEnd(_ outcome: URLSession.EventOutcome, _ metrics: URLSessionTaskMetrics) {
    state.withLock { state in
      guard !state.isOver else { return }
      state.waiting.append(.ended(outcome, metrics))
      state.isOver = true
    }
  }

  /// The fields that an attempt's request gets. Not to be called with a lock held.
  func fields(of task: URLSessionTask, for request: URLRequest) -> [String: String] {
    listener.task(task, willLoad: request)
  }

  // MARK: Flushing

  /// Records an event and reports it. Not to be called with a lock held.
  func report(_ event: LoadEvent) {
    record(event)
    flush()
  }

  /// Reports what is recorded, unless another thread does, or this one further up its stack. Not to be called with a lock held.
  func flush() {
    var isFlusher = false
    while let (events, task) = state.withLock({ $0.take(isFlusher: &isFlusher) }) {
      var task = task
      for event in events {
        event.report(to: listener, of: task)
        if let successor = event.successor { task = successor }
      }
    }
  }
}

extension LoadEvents.State {
  /// The events that are to be reported now.
  /// - Parameter isFlusher: whether the caller is the one who flushes.
  fileprivate mutating func take(isFlusher: inout Bool) -> ([LoadEvent], URLSessionTask)? {
    guard isFlusher || !isFlushing else { return nil }
    guard !waiting.isEmpty, let task else {
      if isFlusher { isFlushing = false }
      return nil
    }
    isFlusher = true
    isFlushing = true
    defer {
      for event in waiting { if let successor = event.successor { self.task = successor } }
      waiting = []
      // Else task, load and events would keep one another alive.
      if isOver { self.task = nil }
    }
    return (waiting, task)
  }
}
