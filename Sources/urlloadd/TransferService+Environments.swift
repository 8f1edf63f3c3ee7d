import Foundation
import URLLoading

/// Whose proxies, certificates and names tasks are loaded by.
extension TransferService {
  /// What loads the tasks of a session that have one environment.
  struct TransferKey: Hashable {
    var session: String
    var environment: Int
  }

  func transferKey(of job: Job) -> TransferKey {
    TransferKey(
      session: job.session, environment: sessions[job.session]?.environments.number(of: job.identifier) ?? 0)
  }

  /// What loads a task; nil where there is none yet.
  func transferSession(of job: Job) -> TransferSession? { transfers[transferKey(of: job)] }

  /// What loads a task, made where there is none.
  func makeTransferSession(of job: Job, _ session: QueueStore.StoredSession) -> TransferSession {
    let key = transferKey(of: job)
    if let known = transfers[key] { return known }
    let description =
      session.environments[key.environment]?.applied(to: session.description, service: options.environment)
      ?? session.description
    let made = TransferSession(description, files: files, loop: loop)
    transfers[key] = made
    return made
  }

  /// Ends what loads the tasks of a session.
  func endTransferSessions(of session: String) {
    for key in transfers.keys where key.session == session { transfers.removeValue(forKey: key)?.end() }
  }

  /// Whether a task waits for its program, since the service has been started anew and has not the password of its proxy any more.
  func lacksPassword(_ job: Job, _ session: QueueStore.StoredSession) -> Bool {
    guard session.environments[transferKey(of: job).environment]?.lacksPasswords == true else { return false }
    let error = URLError(
      .userAuthenticationRequired,
      message: "The password of the proxy is not stored: it comes with a program that has it when it attaches.",
      url: nil)
    queue.asks(job.number, BackgroundFailure(error))
    considerLaunch(of: job.session)
    return true
  }

  /// The session as its program describes it, with the environments of its tasks.
  func described(
    _ session: QueueStore.StoredSession, by given: BackgroundSessionDescription
  ) -> QueueStore.StoredSession {
    var session = session
    session.description = given
    session.description.environment = nil
    session.environments.begin(
      TaskEnvironment(given), at: session.nextIdentifier, unfinished: queue.unfinishedTasks(of: given.identifier))
    return session
  }
}
