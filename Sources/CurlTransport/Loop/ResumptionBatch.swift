/// Resumes the continuations of `async` functions whose transfers have ended in batches.
///
/// To resume a continuation alone wakes a thread, which takes as long as a small transfer, and the loop goes on beside it with the
/// rest of its turn.
// Loop thread only.
struct ResumptionBatch {
  /// Continuations that a batch is not held any longer for.
  private static let size = 16
  /// Turns of the loop that a smaller batch is held for while sockets have more to read.
  private static let longestHold = 4

  private var waiting: [UnsafeContinuation<Void, Never>] = []
  private var heldTurns = 0

  var isEmpty: Bool { waiting.isEmpty }

  mutating func add(_ continuation: UnsafeContinuation<Void, Never>) {
    waiting.append(continuation)
  }

  /// A turn of the loop is over.
  mutating func endTurn() {
    heldTurns += 1
    if waiting.count >= Self.size || heldTurns > Self.longestHold { resumeAll() }
  }

  mutating func resumeAll() {
    heldTurns = 0
    for continuation in waiting { continuation.resume() }
    waiting.removeAll(keepingCapacity: true)
  }
}
