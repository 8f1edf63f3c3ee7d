/// Resumes the continuations of `async` functions whose transfers have ended in batches.
///
/// To resume one alone wakes a thread, which takes as long as a small transfer, while the loop has the rest of its turn to do.
// Loop thread only.
struct ResumptionBatch {
  typealias Continuations = [UnsafeContinuation<Void, Never>]

  /// Continuations from which on a batch is resumed at the end of the turn.
  private static let size = 16
  /// Turns after which a smaller one is, while sockets still have something to read.
  private static let longestWait = 4

  private var waiting: Continuations = []
  private var turns = 0

  var isEmpty: Bool { waiting.isEmpty }

  mutating func add(_ continuation: UnsafeContinuation<Void, Never>) {
    waiting.append(continuation)
  }

  /// What is to be resumed at the end of a turn.
  mutating func endTurn() -> Continuations {
    guard !waiting.isEmpty else { return [] }
    turns += 1
    return waiting.count >= Self.size || turns > Self.longestWait ? takeAll() : []
  }

  /// What is to be resumed when sockets have nothing to read.
  mutating func takeAll() -> Continuations {
    turns = 0
    return exchange(&waiting, with: [])
  }
}
