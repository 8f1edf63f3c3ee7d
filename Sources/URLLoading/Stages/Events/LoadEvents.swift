internal import URLLoadingBase

/// The events of one load on their way to the session's listener: noted where they happen, told one after another with no lock held.
///
/// Events are noted in their order, under the load's lock where that decides it, and told when it is free again: by the thread that
/// noted them, or by one that is telling already. A listener that has the load do something gets what comes of that behind the event
/// which it was called with.
///
/// Mutable state: `state`, guarded by its lock, which is never held while the listener is called. It may be taken under the load's lock,
/// not the other way round.
final class LoadEvents: Sendable {
  fileprivate struct State {
    /// From the first event to the last, which the listener is told of even where nobody else has the task any more.
    var task: URLSessionTask?
    var waiting: [LoadEvent] = []
    /// A thread calls the listener, and will take what is noted meanwhile.
    var isTelling = false
    /// The last event is noted.
    var isOver = false
    var isSuspended = false
    var isHeldBack = false
    var connection = ConnectionEvents()
  }

  private let listener: any URLSession.EventListener
  /// Whether bodies are to be noted.
  let wantsBodies: Bool
  private let state = Locked(State(), rank: .loadEvents)

  init(_ listener: any URLSession.EventListener) {
    self.listener = listener
    wantsBodies = listener.wantsBodies
  }

  // MARK: Noting

  /// The task begins.
  func begin(_ task: URLSessionTask) {
    state.withLock { state in
      state.task = task
      state.waiting.append(.began)
    }
  }

  /// Notes an event; ``tell()`` has to follow.
  func note(_ event: LoadEvent) {
    state.withLock { state in
      guard !state.isOver else { return }
      if case .chose = event { state.connection = ConnectionEvents() }
      state.waiting.append(event)
    }
  }

  /// Notes what a transaction's metrics say of its connection, as far as that is new.
  func noteConnection(_ metrics: URLSessionTaskTransactionMetrics) {
    state.withLock { state in
      if !state.isOver { state.waiting += state.connection.news(in: metrics) }
    }
  }

  /// Notes whether the load pauses, where that has changed.
  func noteFlow(isSuspended: Bool, isHeldBack: Bool) {
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

  /// Notes the end; nothing follows it.
  func noteEnd(_ outcome: URLSession.EventOutcome, _ metrics: URLSessionTaskMetrics) {
    state.withLock { state in
      guard !state.isOver else { return }
      state.waiting.append(.ended(outcome, metrics))
      state.isOver = true
    }
  }

  // MARK: Telling

  /// Notes an event and tells it. Not to be called with a lock held.
  func tell(_ event: LoadEvent) {
    note(event)
    tell()
  }

  /// Tells what is noted, unless another thread does, or this one further up its stack. Not to be called with a lock held.
  func tell() {
    var isTeller = false
    while let (events, task) = state.withLock({ $0.take(isTeller: &isTeller) }) {
      var task = task
      for event in events {
        event.tell(listener, of: task)
        if let successor = event.successor { task = successor }
      }
    }
  }
}

extension LoadEvents.State {
  /// The events that are to be told now.
  /// - Parameter isTeller: whether the caller is the one who tells.
  fileprivate mutating func take(isTeller: inout Bool) -> ([LoadEvent], URLSessionTask)? {
    guard isTeller || !isTelling else { return nil }
    guard !waiting.isEmpty, let task else {
      if isTeller { isTelling = false }
      return nil
    }
    isTeller = true
    isTelling = true
    defer {
      for event in waiting { if let successor = event.successor { self.task = successor } }
      waiting = []
      // Else task, load and events would keep one another alive.
      if isOver { self.task = nil }
    }
    return (waiting, task)
  }
}
