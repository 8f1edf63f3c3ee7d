/// Has `async` functions go on that waited for the loop: together, when a turn of the loop is over.
///
/// One by one, other threads would go on with them while the loop has the rest of the turn to do, and both would wait for each
/// other's locks in `malloc`: with 256 transfers at once that took a third of all time.
// Loop thread only.
final class Resumer {
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
  /// So long a crowd may take to go on by itself, in milliseconds. Where threads are free, it takes a tenth of it.
  private static let longestPassing: Int32 = 1
  /// So long the crowds after one that was late do not have to, in nanoseconds, unless that one gets going before.
  private static let longestLateness: UInt64 = 100_000_000

  private let reactor: Reactor
  /// Whether the loop is back in time for those who do not go on by themselves.
  private let canPassOn: Bool
  // Touched by every transfer: the run-time check that accesses do not overlap costs as much as they do.
  @exclusivity(unchecked)
  private var waiters: [Crowd.Function] = []
  /// How many turns they have waited for more of them.
  @exclusivity(unchecked)
  private var heldTurns = 0
  /// When the first of these turns began.
  @exclusivity(unchecked)
  private var holdBeginning: UInt64 = 0
  /// Crowds that may not be through, and when they began; the oldest first.
  @exclusivity(unchecked)
  private var crowds: [(crowd: Crowd, time: UInt64)] = []
  /// One that had not gone on by itself in time, and since when that is known.
  private var late: (crowd: Crowd, time: UInt64)?

  init(reactor: Reactor, canPassOn: Bool) {
    self.reactor = reactor
    self.canPassOn = canPassOn
  }

  /// Whether nobody is held back.
  var isEmpty: Bool { waiters.isEmpty }

  /// This one is to go on.
  func add(_ function: Crowd.Function) { waiters.append(function) }

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
      waiters.popLast()?.resume(returning: nil)
      return
    }
    let crowd = Crowd(exchange(&waiters, with: []))
    waiters.reserveCapacity(Self.companyCount)
    // All threads may be busy for long, with work of lower priority than what waits: then nobody is there to pass it on.
    if let late, late.crowd.isMoving || Reactor.now() &- late.time > Self.longestLateness { self.late = nil }
    guard canPassOn, late == nil else { return crowd.finish() }
    crowd.begin()
    if !crowd.isExhausted { crowds.append((crowd, Reactor.now())) }
  }

  // MARK: Crowds that go on by themselves

  /// How long the loop may sleep at most, in milliseconds, for the sake of those who do not; -1 where there are none.
  func longestSleep() -> Int32 {
    guard !crowds.isEmpty else { return -1 }
    while let (crowd, _) = crowds.first, crowd.isExhausted { crowds.removeFirst() }
    return crowds.isEmpty ? -1 : Self.longestPassing
  }

  /// Has those go on that have not done so in time.
  func finishLate() {
    while let (crowd, time) = crowds.first, reactor.turnBeginning > time + UInt64(Self.longestPassing) * 1_000_000 {
      crowds.removeFirst()
      guard !crowd.isExhausted else { continue }
      crowd.finish()
      late = (crowd, reactor.turnBeginning)
    }
  }
}
