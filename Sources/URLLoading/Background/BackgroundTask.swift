internal import URLLoadingBase

/// A task that the transfer service loads, as its program sees it.
///
/// Mutable state: in `runner`, `receiver`, `refused` and `isSevered`, each guarded by its lock.
final class BackgroundTask: Sendable {
  let identifier: Int
  private let session: BackgroundSession
  /// The service has loaded it before this process knew of it.
  private let isAdopted: Bool
  private let runner: EffectRunner<BackgroundTaskMachine>
  private let receiver = Locked<BackgroundRelay?>(nil)
  private let refused = Locked<BackgroundFailure?>(nil)
  /// The service has another task by its number, and hears nothing of this one.
  private let isSevered = Locked(false)

  init(identifier: Int, session: BackgroundSession, isResumed: Bool) {
    self.identifier = identifier
    self.session = session
    isAdopted = isResumed
    runner = EffectRunner(BackgroundTaskMachine(task: identifier, isResumed: isResumed))
  }

  /// The load's instance takes events from now on.
  func begin(_ relay: BackgroundRelay) {
    receiver.withLock { $0 = relay }
    update { $0.begin() }
  }

  /// Whether the load takes events, or is about to.
  var hasBegun: Bool { isAdopted || receiver.withLock { $0 != nil } }

  /// The load takes no event for now.
  var isSuspended: Bool { runner.read { !$0.isResumed } }

  func setResumed(_ resumed: Bool) {
    update { $0.setResumed(resumed) }
    // What it holds back may stay so for ever, and is not to keep the other tasks from their ends.
    if !resumed { session.releaseEnd(of: identifier) }
  }

  func receive(_ event: BackgroundEvent) { update { $0.receive(event) } }

  /// The service does not make the task.
  func refuse(_ failure: BackgroundFailure) {
    refused.withLock { $0 = failure }
    var outcome = BackgroundOutcome()
    outcome.error = failure
    receive(.ended(outcome))
  }

  /// The service has another task by this number. This one ends here.
  func sever(_ failure: BackgroundFailure) {
    isSevered.withLock { $0 = true }
    refuse(failure)
  }

  /// Why the service does not make the task; nil where it does, or has not answered.
  var refusal: BackgroundFailure? { refused.withLock { $0 } }

  /// The delegate's method has returned that gets the file.
  func tookFile() { update { $0.tookFile() } }

  /// The load has ended, and its delegate knows.
  func end() {
    update { $0.end() }
    receiver.withLock { $0 = nil }
    session.forget(self)
  }

  /// Has the service cancel the task.
  /// - Parameter handler: gets what a later task needs to continue.
  func cancel(producingResumeData handler: @escaping @Sendable (Data?) -> Void) {
    session.requestResumeData(of: identifier) { data in
      self.update { $0.wasCancelled() }
      handler(data)
    }
  }

  func answer(_ question: Int, _ answer: BackgroundAnswer) {
    session.send(.answer(question: question, answer))
  }

  func changed(_ hints: BackgroundTaskHints) { session.send(.update(task: identifier, hints)) }

  private func update(_ change: (inout BackgroundTaskMachine) -> sending Void) {
    runner.update(change) { effect in
      switch effect {
      case .send(let command): if !isSevered.withLock({ $0 }) { session.send(command) }
      case .deliver(let event): receiver.withLock { $0 }?.receive(event)
      }
    }
  }
}
