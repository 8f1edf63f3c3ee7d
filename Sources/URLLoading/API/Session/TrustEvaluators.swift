internal import URLLoadingBase

/// Numbers the delegates of a session that answer challenges about connections: that of the session is 0, those of tasks count up.
///
/// Mutable state: `state`, guarded by its lock.
final class TrustEvaluators: URLSessionComponent {
  private struct Entry {
    weak var delegate: (any URLSessionTaskDelegate)?
    let number: UInt64
  }

  private struct State {
    var entries: [ObjectIdentifier: Entry] = [:]
    var last: UInt64 = 0
  }

  private let state = Locked(State())

  /// Entries of delegates that have gone are dropped when there are more than these.
  private static let sweepCount = 64

  static let session = URLConnectionJudge(number: 0)

  init(configuration: URLSessionConfiguration) {}

  func flush() {}

  func invalidate() {}

  /// The number of a task's delegate.
  func evaluator(_ delegate: any URLSessionTaskDelegate) -> URLConnectionJudge {
    state.withLock { state in
      let key = ObjectIdentifier(delegate)
      // Another object may have the address of one that has gone.
      if let known = state.entries[key], known.delegate === delegate { return URLConnectionJudge(number: known.number) }
      if state.entries.count >= Self.sweepCount { state.entries = state.entries.filter { $0.value.delegate != nil } }
      state.last += 1
      state.entries[key] = Entry(delegate: delegate, number: state.last)
      return URLConnectionJudge(number: state.last)
    }
  }
}
