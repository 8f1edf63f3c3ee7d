import Foundation
import URLLoading

/// A task of a program, in the service's queue.
struct Job: Sendable, Equatable {
  /// What changes with the task, stored with each change that ``JobQueue/changed`` has.
  struct State: Sendable, Equatable {
    var phase = Phase.idle
    var hints = BackgroundTaskHints()
    /// When the program has resumed it first; the resource timeout counts from then on.
    var resumed: Date?
    /// The program has been asked about its delayed request, and may have said so.
    var hasAsked = false
    /// Failures in a row without a byte between them.
    var failures = 0
    var nextTry: Date?
    var lastFailure: BackgroundFailure?
    var progress = BackgroundProgress()
    /// Where the task stands among those that have ended, in their order.
    var endOrder: Int?
    /// The program has what it wants of the file.
    var tookFile = false
    /// The request may not use a network that costs by the byte.
    var avoidsMetered = false
    /// How often the service has crashed while it loaded this: see ``JobQueue/crashed(loading:now:)``.
    var crashes = 0
  }

  enum Phase: String, Sendable {
    /// Not resumed, or suspended.
    case idle
    /// For its date, a free place, or the next try.
    case waiting
    case running
    /// Its program has to decide something, and does not run.
    case asking
    case ended
  }

  let number: Int
  let session: String
  /// The number in its session.
  let identifier: Int
  let kind: BackgroundTaskDescription.Kind
  /// What its places are counted by: scheme, host and port.
  let origin: String
  /// In seconds; nil for none.
  var resourceTimeout: Double?
  var state = State()

  /// When the task fails if it has not ended.
  var deadline: Date? {
    guard let resourceTimeout, let resumed = state.resumed else { return nil }
    return resumed.addingTimeInterval(resourceTimeout)
  }

  /// The task as a service begins with it that an earlier one has left: nothing has happened in the future, and no try is further off than
  /// any could be, whatever was done to the wall's clock.
  func clamped(to now: Date) -> Job {
    var job = self
    if let resumed = state.resumed { job.state.resumed = min(resumed, now) }
    if let next = state.nextTry, next > now.addingTimeInterval(RetryPolicy.longestDelay) { job.state.nextTry = now }
    return job
  }

  /// Whether the task waits for a protocol class that loads it: nothing else that has failed so is tried again.
  var lacksClass: Bool {
    guard state.phase == .waiting, state.nextTry != nil, let failure = state.lastFailure else { return false }
    return failure.domain == NSURLErrorDomain && failure.code == URLError.Code.unsupportedURL.rawValue
  }

  /// Whether the last try failed for a file that could not be written.
  var lackedRoom: Bool {
    guard let failure = state.lastFailure else { return false }
    return failure.domain == NSURLErrorDomain && failure.code == URLError.Code.cannotWriteToFile.rawValue
  }
}
