/// Decides whether the loop, before it sleeps, looks for a moment whether the answer to a lone request comes.
///
/// To fall asleep and be woken takes as long as a server on the same machine takes to answer, on a virtual machine longer: its host has
/// to be asked for both. Where answers come that soon, looking for them costs no more processor time than the sleep did. Where they
/// do not, it would: so it looks only after an answer that came soon, and each time that none comes while it looks, it lets twice as
/// many of those pass before the next try.
struct AnswerWatch {
  /// What to do next.
  enum Action: Equatable {
    /// Look for events without sleeping, for so many nanoseconds at most.
    case look(UInt64)
    case sleep
  }

  /// How long it looks at most, in nanoseconds: an answer from the same machine takes 30 to 80 microseconds.
  static let longestLook: UInt64 = 100_000
  /// An answer that ended a sleep within this, in nanoseconds, might have been seen by looking: most of it is the sleep's own cost.
  static let shortSleep: UInt64 = 200_000
  /// Soon answers that pass at most before it looks again.
  static let mostSkips = 1024

  private var lastCameSoon = false
  private var skips = 0
  private var skipsAfterNextMiss = 1

  /// The loop has nothing to do until an answer comes.
  func waits() -> Action {
    lastCameSoon && skips == 0 ? .look(Self.longestLook) : .sleep
  }

  /// It looked, and saw the answer.
  mutating func saw() {
    skipsAfterNextMiss = 1
  }

  /// It looked in vain, or saw something else.
  mutating func missed() {
    skips = skipsAfterNextMiss
    skipsAfterNextMiss = min(skipsAfterNextMiss * 2, Self.mostSkips)
  }

  /// The answer has ended a sleep.
  /// - Parameter nanoseconds: how long it was.
  mutating func slept(_ nanoseconds: UInt64) {
    lastCameSoon = nanoseconds < Self.shortSleep
    if lastCameSoon, skips > 0 { skips -= 1 }
  }
}
