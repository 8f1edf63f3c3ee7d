/// Decides who has functions go on that waited for the loop: one of Swift's threads, or the loop itself.
///
/// To put a function into the queue of those threads, and to wake one of them, takes about as long as the loop needs for a tenth of a
/// small transfer. So the loop gives a crowd of functions to one of these threads, which does it for the others. But all of them may
/// be busy for long, with work of lower priority than the functions that wait: then the loop does it after all.
struct Handover<Function> {
  /// What to do for a crowd.
  enum Action {
    /// Have one of Swift's threads call `taken()`.
    case post
    /// A thread has been asked already.
    case wait
    /// Have these go on here: no thread has come for the ones before.
    case resume([Function])
  }

  private enum State {
    case idle
    /// A thread was asked to come for these.
    case posted([Function])
    /// The thread did not come in time for the ones before.
    case overdue
  }

  private var state = State.idle

  /// Whether a crowd waits for a thread.
  var isPending: Bool {
    if case .posted = state { true } else { false }
  }

  /// These are to go on.
  mutating func give(_ crowd: [Function]) -> Action {
    switch state {
    case .idle:
      state = .posted(crowd)
      return .post
    case .posted(let earlier):
      state = .posted(earlier + crowd)
      return .wait
    case .overdue:
      return .resume(crowd)
    }
  }

  /// The thread that was asked has come. Returns what it has to have go on.
  mutating func taken() -> [Function] {
    defer { state = .idle }
    if case .posted(let crowd) = state { return crowd }
    return []
  }

  /// The time for a thread to come is over. Returns what the loop has to have go on.
  mutating func timedOut() -> [Function] {
    guard case .posted(let crowd) = state else { return [] }
    state = .overdue
    return crowd
  }
}
