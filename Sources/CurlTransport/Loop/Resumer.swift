internal import Dispatch

/// Has `async` functions go on that waited for the loop: together, when a turn of the loop is over.
///
/// One by one, other threads would go on with them while the loop has the rest of the turn to do, and both would wait for each
/// other's locks in `malloc`: with 256 transfers at once that took a third of all time.
// Mutable state, and what guards it:
// - `waiters`, `heldTurns`, `holdBeginning`, `handoverTime`: the loop thread alone.
// - `handover`: its lock. The loop thread gives; one of Swift's threads takes, or the loop takes back.
// Safe to share: other threads touch `handover` alone.
final class Resumer: @unchecked Sendable {
  typealias Function = UnsafeContinuation<Void, Never>

  /// Where no other socket is waited for that could bring more, so many go on as soon as the one was looked at; a larger crowd would
  /// get in the loop's way.
  private static let smallCrowd = 64
  /// So many go on at the end of a turn. Fewer are held back while more is coming in, for so many turns at most, while turns are
  /// shorter than this, in nanoseconds.
  private static let companyCount = 16
  private static let longestHold = 4
  private static let shortTurn: UInt64 = 200_000
  /// From so many on, of those who wait and the sockets that are waited for, it takes more to go on: five of eight, up to so many;
  /// or so long, in nanoseconds. While those go on, the loop has the rest to do, and the server too.
  private static let manyCount = 32
  private static let largestCompanyCount = 40
  private static let longestHoldOfMany: UInt64 = 2_000_000
  /// So long a thread may take to come for those who go on, in milliseconds. A free one takes a tenth of it.
  private static let longestHandover: Int32 = 1

  private let reactor: Reactor
  /// Whether the loop is back in time for those for whom no thread has come.
  private let canHandOver: Bool
  // Touched by every transfer: the run-time check that accesses do not overlap costs as much as they do.
  @exclusivity(unchecked)
  private var waiters: [Function] = []
  /// How many turns they have waited for more of them.
  @exclusivity(unchecked)
  private var heldTurns = 0
  /// When the first of these turns began.
  @exclusivity(unchecked)
  private var holdBeginning: UInt64 = 0
  private let handover = Locked(Handover<Function>())
  /// When those were handed over that may still wait for a thread.
  @exclusivity(unchecked)
  private var handoverTime: UInt64?

  init(reactor: Reactor, canHandOver: Bool) {
    self.reactor = reactor
    self.canHandOver = canHandOver
  }

  /// Whether nobody is held back.
  var isEmpty: Bool { waiters.isEmpty }

  /// This one is to go on.
  func add(_ function: Function) { waiters.append(function) }

  /// Has those who wait go on, unless there will be more of them in a moment: to wake a thread takes as long as a small transfer.
  func endTurn() {
    guard !waiters.isEmpty else { return }
    guard isWorthHolding else { return resume() }
    if heldTurns == 0 { holdBeginning = reactor.turnBeginning }
    heldTurns += 1
  }

  /// Whether there will be more of those who wait soon enough.
  private var isWorthHolding: Bool {
    guard reactor.awaitedCount > 1 else { return false }
    let all = reactor.awaitedCount + waiters.count
    if all < Self.manyCount {
      return waiters.count < Self.companyCount && heldTurns < Self.longestHold
        && Reactor.now() &- reactor.turnBeginning < Self.shortTurn
    }
    let beginning = heldTurns == 0 ? reactor.turnBeginning : holdBeginning
    return waiters.count < min(all * 5 / 8, Self.largestCompanyCount)
      && Reactor.now() &- beginning < Self.longestHoldOfMany
  }

  /// Has those who wait go on if they are few and nothing else is awaited.
  func resumeIfNoneWillCome() {
    if reactor.awaitedCount <= 1, waiters.count <= Self.smallCrowd { resume() }
  }

  /// Has those who wait go on.
  func resume() {
    heldTurns = 0
    guard waiters.count > 1 else {
      waiters.popLast()?.resume()
      return
    }
    let crowd = exchange(&waiters, with: [])
    guard canHandOver else { return resume(crowd) }
    waiters.reserveCapacity(Self.companyCount)
    switch handover.withLock({ $0.give(crowd) }) {
    case .post:
      handoverTime = Reactor.now()
      DispatchQueue.global().async { [self] in resume(handover.withLock { $0.taken() }) }
    case .wait: break
    case .resume(let crowd): resume(crowd)
    }
  }

  private func resume(_ crowd: [Function]) {
    for function in crowd { function.resume() }
  }

  // MARK: Those who were handed over

  /// How long the loop may sleep at most, in milliseconds, for the sake of those who wait for a thread; -1 where there are none.
  func longestSleep() -> Int32 {
    guard handoverTime != nil else { return -1 }
    if handover.withLock({ $0.isPending }) { return Self.longestHandover }
    handoverTime = nil
    return -1
  }

  /// Has those go on here for whom no thread has come in time.
  func endHandover() {
    guard let time = handoverTime, reactor.turnBeginning > time + UInt64(Self.longestHandover) * 1_000_000 else {
      return
    }
    handoverTime = nil
    resume(handover.withLock { $0.timedOut() })
  }
}
