internal import Synchronization

/// `async` functions that go on together: each that does has two more go on.
///
/// To put a function into the queue of Swift's threads takes about as long as the loop needs for a hundredth of a small transfer, and to
/// wake one of them, as long as for a tenth. Whoever does it for a whole crowd at once wakes the other threads again and again: they
/// are through with the first functions before the next are in the queue, and fall asleep. Here the queue grows while it is
/// worked off, by those who work it off, and no thread runs out of work before the crowd does.
// Mutable state: `next`, `moving`, atomics.
package final class Crowd: Sendable {
  package typealias Function = UnsafeContinuation<Crowd?, Never>

  private let functions: [Function]
  /// How many have gone on; it may go on counting when all have.
  private let next = Atomic(0)
  private let moving = Atomic(false)

  init(_ functions: [Function]) {
    self.functions = functions
  }

  /// Whether all have gone on.
  var isExhausted: Bool { next.load(ordering: .relaxed) >= functions.count }

  /// Whether one of them has had others go on: a thread has come.
  var isMoving: Bool { moving.load(ordering: .relaxed) }

  /// Has two go on, if as many are left.
  func begin() {
    if resumeNext() { _ = resumeNext() }
  }

  /// Has all go on that are left.
  func finish() {
    while resumeNext() {}
  }

  /// Has two more go on: the first that is called by one that does.
  package func passOn() {
    if !isMoving { moving.store(true, ordering: .relaxed) }
    begin()
  }

  private func resumeNext() -> Bool {
    guard !isExhausted else { return false }
    let index = next.wrappingAdd(1, ordering: .relaxed).oldValue
    guard index < functions.count else { return false }
    functions[index].resume(returning: self)
    return true
  }
}
