import Testing
import URLLoadingBase

@testable import URLLoading

@Suite struct LoadMachineTests {
  private let start = MonotonicInstant.now

  private func machine(idle: Duration? = nil, resource: Duration? = nil, buffer: Int = 100) -> LoadMachine {
    LoadMachine(limits: .init(idle: idle, resource: resource, bufferedBytes: buffer))
  }

  private func opened(idle: Duration? = nil, resource: Duration? = nil, buffer: Int = 100) -> LoadMachine {
    var machine = machine(idle: idle, resource: resource, buffer: buffer)
    _ = machine.resume(at: start)
    return machine
  }

  private func at(_ seconds: Double) -> MonotonicInstant { start.advanced(by: .seconds(seconds)) }

  // MARK: Listings

  @Test(arguments: [false, true]) func entriesAndBytesDoNotMix(expectsEntries: Bool) {
    var machine = LoadMachine(limits: .init(bufferedBytes: 100), expectsEntries: expectsEntries)
    _ = machine.resume(at: start)
    #expect(machine.receivedEntries(attempt: 1, at: start) == .fail(.entriesAheadOfResponse))
    #expect(machine.receivedData(attempt: 1, at: start) == (expectsEntries ? .fail(.bytesAheadOfResponse) : .hold))
    #expect(machine.responded(attempt: 1, at: start) == .deliver)
    #expect(machine.receivedEntries(attempt: 1, at: start) == (expectsEntries ? .deliver : .fail(.unaskedEntries)))
    #expect(machine.receivedData(attempt: 1, at: start) == (expectsEntries ? .fail(.unaskedBytes) : .deliver))
    #expect(machine.receivedEntries(attempt: 2, at: start) == .ignore)
    #expect(machine.finished(attempt: 1) == .finish)
    #expect(machine.receivedEntries(attempt: 1, at: start) == .ignore)
  }

  // MARK: Without a response

  @Test func dataAheadOfAResponseIsHeldUpToTheLimit() {
    var machine = opened(buffer: 100)
    #expect(machine.receivedData(60, attempt: 1, at: start) == .hold)
    #expect(machine.receivedData(40, attempt: 1, at: start) == .hold)
    #expect(machine.receivedData(1, attempt: 1, at: start) == .fail(.bytesAheadOfResponse))
    #expect(machine.receivedData(.max, attempt: 1, at: start) == .fail(.bytesAheadOfResponse))
    #expect(machine.responded(attempt: 1, at: start) == .deliver)
    #expect(machine.receivedData(100, attempt: 1, at: start) == .deliver)
  }

  @Test func aFinishWithoutAResponseComesBackWhenWhatWasHeldHasPassed() {
    var machine = opened()
    #expect(machine.finished(attempt: 1) == .finishUnanswered)
    let answers = [2, 1, 1].map { machine.unanswered(attempt: $0) }
    #expect(answers == [false, true, false])
    #expect(machine.receivedData(5, attempt: 1, at: start) == .deliver)
    #expect(machine.finished(attempt: 1) == .finish)
    var listing = LoadMachine(limits: .init(bufferedBytes: 100), expectsEntries: true)
    _ = listing.resume(at: start)
    #expect(listing.finished(attempt: 1) == .fail(.noResponse))
  }

  @Test func anotherAttemptHoldsAnew() {
    var machine = opened(buffer: 100)
    #expect(machine.receivedData(100, attempt: 1, at: start) == .hold)
    _ = machine.redirected(attempt: 1, at: start)
    _ = machine.redirectDecided(attempt: 1, follow: true, at: start)
    #expect(machine.receivedData(100, attempt: 2, at: start) == .hold)
  }

  @Test func entriesWaitForDecisions() {
    var machine = LoadMachine(limits: .init(bufferedBytes: 100), expectsEntries: true)
    _ = machine.resume(at: start)
    _ = machine.challenged(attempt: 1)
    #expect(machine.receivedEntries(attempt: 1, at: start) == .retain)
    _ = machine.challengeAnswered(attempt: 1, at: start)
    _ = machine.redirected(attempt: 1, at: start)
    #expect(machine.receivedEntries(attempt: 1, at: start) == .retain)
    #expect(machine.redirectDecided(attempt: 1, follow: false, at: start) == .fail(.unlistedRedirect))
    // The load has not ended yet, and another thread sends the redirect's own response.
    #expect(machine.responded(attempt: 1, at: start) == .retain)
    #expect(machine.finished(attempt: 1) == .retain)
    #expect(machine.abort() == .end)
  }

  // MARK: Every event in every phase

  enum Phase: CaseIterable { case unstarted, opening, redirecting, challenged, receiving, finishing, cancelled, ended }

  private func machine(in phase: Phase) -> LoadMachine {
    var machine = phase == .unstarted ? machine() : opened()
    switch phase {
    case .unstarted, .opening: break
    case .redirecting: _ = machine.redirected(attempt: 1, at: start)
    case .challenged: _ = machine.challenged(attempt: 1)
    case .receiving: _ = machine.responded(attempt: 1, at: start)
    case .finishing:
      _ = machine.responded(attempt: 1, at: start)
      _ = machine.finished(attempt: 1)
    case .cancelled: _ = machine.cancel()
    case .ended:
      _ = machine.cancel()
      _ = machine.end()
    }
    return machine
  }

  private typealias Row = (
    redirect: LoadMachine.QuestionAction, challenge: LoadMachine.QuestionAction, response: LoadMachine.EventAction,
    data: LoadMachine.EventAction, finish: LoadMachine.EventAction, failure: LoadMachine.FailureAction,
    cancel: LoadMachine.EndAction, abort: LoadMachine.EndAction
  )

  private func row(_ phase: Phase) -> Row {
    switch phase {
    case .unstarted: (.ignore, .ignore, .ignore, .ignore, .ignore, .ignore, .end, .end)
    case .opening: (.ask(.pause), .ask(.pause), .deliver, .hold, .finishUnanswered, .end, .end, .end)
    case .redirecting: (.fail(.lateRedirect), .fail(.lateChallenge), .retain, .retain, .retain, .retain, .end, .end)
    case .challenged: (.fail(.lateRedirect), .fail(.lateChallenge), .retain, .retain, .retain, .end, .end, .end)
    case .receiving: (.fail(.lateRedirect), .fail(.lateChallenge), .deliver, .deliver, .finish, .end, .end, .end)
    case .finishing: (.fail(.lateRedirect), .fail(.lateChallenge), .ignore, .ignore, .ignore, .ignore, .end, .ignore)
    case .cancelled, .ended: (.ignore, .ignore, .ignore, .ignore, .ignore, .ignore, .ignore, .ignore)
    }
  }

  @Test(arguments: Phase.allCases)
  func everyEvent(in phase: Phase) {
    let expected = row(phase)
    func fresh() -> LoadMachine { machine(in: phase) }
    var a = fresh(), b = fresh(), c = fresh(), d = fresh(), e = fresh(), f = fresh(), g = fresh(), h = fresh()
    #expect(a.redirected(attempt: 1, at: start) == expected.redirect)
    #expect(b.challenged(attempt: 1) == expected.challenge)
    #expect(c.responded(attempt: 1, at: start) == expected.response)
    #expect(d.receivedData(attempt: 1, at: start) == expected.data)
    #expect(e.finished(attempt: 1) == expected.finish)
    #expect(f.failed(attempt: 1) == expected.failure)
    #expect(g.cancel() == expected.cancel)
    #expect(h.abort() == expected.abort)
  }

  @Test(arguments: Phase.allCases)
  func eventsOfAnotherAttemptAreIgnored(in phase: Phase) {
    for attempt in [0, 2, -1] where !(phase == .unstarted && attempt == 0) {
      var machine = machine(in: phase)
      let before = machine.state
      #expect(machine.redirected(attempt: attempt, at: start) == .ignore)
      #expect(machine.redirectDecided(attempt: attempt, follow: true, at: start) == .ignore)
      #expect(machine.challenged(attempt: attempt) == .ignore)
      #expect(machine.challengeAnswered(attempt: attempt, at: start) == .ignore)
      #expect(machine.responded(attempt: attempt, at: start) == .ignore)
      #expect(machine.receivedData(attempt: attempt, at: start) == .ignore)
      #expect(machine.finished(attempt: attempt) == .ignore)
      #expect(machine.failed(attempt: attempt) == .ignore)
      #expect(machine.restarted(attempt: attempt, at: start) == false)
      #expect(machine.state == before)
    }
  }

  @Test func decisionsOutsideOfTheirPhaseAreIgnored() {
    for phase in Phase.allCases {
      var machine = machine(in: phase)
      if phase != .redirecting { #expect(machine.redirectDecided(attempt: 1, follow: true, at: start) == .ignore) }
      if phase != .challenged { #expect(machine.challengeAnswered(attempt: 1, at: start) == .ignore) }
      if phase != .receiving { #expect(machine.restarted(attempt: 1, at: start) == false) }
    }
  }

  // MARK: Commands

  @Test func suspensionsNest() {
    var machine = machine()
    #expect(machine.state == .suspended)
    #expect(machine.suspend() == .nothing)
    #expect(machine.resume(at: start) == .nothing)
    #expect(machine.isUnstarted)
    #expect(machine.resume(at: start) == .open)
    #expect(machine.state == .running)
    #expect(machine.resume(at: start) == .nothing)
    #expect(machine.suspend() == .pause)
    #expect(machine.suspend() == .nothing)
    #expect(machine.resume(at: start) == .nothing)
    #expect(machine.state == .suspended)
    #expect(machine.resume(at: start) == .unpause)
    #expect(machine.state == .running)
  }

  @Test func cancelBeforeResume() {
    var machine = machine()
    #expect(machine.cancel() == .end)
    #expect(machine.state == .canceling)
    #expect(machine.resume(at: start) == .nothing)
    #expect(machine.cancel() == .ignore)
    #expect(machine.end() == true)
    #expect(machine.end() == false)
    #expect(machine.state == .completed)
    #expect(machine.resume(at: start) == .nothing)
    #expect(machine.suspend() == .nothing)
  }

  @Test func cancelAfterFinishStillEnds() {
    var machine = machine(in: .finishing)
    #expect(machine.cancel() == .end)
    #expect(machine.end() == true)
  }

  // MARK: Pauses

  @Test func decisionHoldsTheInstanceBackOnce() {
    var machine = opened()
    #expect(machine.suspend() == .pause)
    #expect(machine.redirected(attempt: 1, at: start) == .ask(.nothing))
    #expect(machine.resume(at: start) == .nothing)
    #expect(machine.redirectDecided(attempt: 1, follow: false, at: start) == .replay(.unpause))
    #expect(!machine.isPaused)
  }

  @Test func suspensionOutlivesADecision() {
    var machine = opened()
    #expect(machine.challenged(attempt: 1) == .ask(.pause))
    #expect(machine.suspend() == .nothing)
    #expect(machine.challengeAnswered(attempt: 1, at: start) == .pass(.nothing))
    #expect(machine.isPaused)
    #expect(machine.resume(at: start) == .unpause)
  }

  /// TLS that begins on a connection of both directions: the load goes on as it was.
  @Test func aChallengeBehindTheResponse() {
    var machine = opened()
    _ = machine.responded(attempt: 1, at: start)
    #expect(machine.challenged(attempt: 1, mayFollowResponse: true) == .ask(.pause))
    #expect(machine.challenged(attempt: 1, mayFollowResponse: true) == .fail(.lateChallenge))
    #expect(machine.challengeAnswered(attempt: 1, at: start) == .pass(.unpause))
    #expect(machine.receivedData(attempt: 1, at: start) == .deliver)
    #expect(machine.finished(attempt: 1) == .finish)
  }

  @Test func slowConsumer() {
    var machine = opened()
    _ = machine.responded(attempt: 1, at: start)
    #expect(machine.buffered(99) == .nothing)
    #expect(machine.buffered(1) == .pause)
    #expect(machine.buffered(50) == .nothing)
    #expect(machine.consumed(99, at: start) == .nothing)
    #expect(machine.consumed(1, at: start) == .unpause)
    #expect(machine.consumed(1000, at: start) == .nothing)
    #expect(machine.bufferedBytes == 0)
  }

  @Test(arguments: [0, -1, -2, -1000, Int.min])
  func aLimitOfNothingDoesNotStallForever(limit: Int) {
    var machine = opened(buffer: limit)
    _ = machine.responded(attempt: 1, at: start)
    #expect(machine.buffered(10) == .pause)
    #expect(machine.consumed(10, at: start) == .unpause)
  }

  // MARK: Redirects

  @Test func redirectLimit() {
    var machine = opened()
    for hop in 1...16 {
      #expect(machine.redirected(attempt: hop, at: start) == .ask(.pause))
      #expect(machine.redirectDecided(attempt: hop, follow: true, at: start) == .open)
      #expect(!machine.isPaused)
    }
    #expect(machine.redirectCount == 16)
    #expect(machine.redirected(attempt: 17, at: start) == .fail(.tooManyRedirects))
    #expect(machine.abort() == .end)
  }

  @Test func refusedRedirectReplays() {
    var machine = opened()
    _ = machine.redirected(attempt: 1, at: start)
    #expect(machine.responded(attempt: 1, at: start) == .retain)
    #expect(machine.receivedData(attempt: 1, at: start) == .retain)
    #expect(machine.finished(attempt: 1) == .retain)
    #expect(machine.redirectDecided(attempt: 1, follow: false, at: start) == .replay(.unpause))
    #expect(machine.replaysNext(attempt: 1) == true)
    #expect(machine.responded(attempt: 1, isReplay: true, at: start) == .deliver)
    // What comes during the replay goes after it.
    #expect(machine.receivedData(attempt: 1, at: start) == .retain)
    #expect(machine.replaysNext(attempt: 1) == true)
    #expect(machine.receivedData(attempt: 1, isReplay: true, at: start) == .deliver)
    #expect(machine.replaysNext(attempt: 1) == true)
    #expect(machine.replaysNext(attempt: 1) == true)
    #expect(machine.replaysNext(attempt: 1) == false)
    #expect(machine.replaysNext(attempt: 1) == false)
    #expect(machine.finished(attempt: 1) == .finish)
    #expect(machine.redirectCount == 0)
  }

  @Test func aNewAttemptReplaysNothing() {
    var machine = opened()
    _ = machine.redirected(attempt: 1, at: start)
    #expect(machine.responded(attempt: 1, at: start) == .retain)
    #expect(machine.redirectDecided(attempt: 1, follow: true, at: start) == .open)
    #expect(machine.replaysNext(attempt: 1) == false)
    #expect(machine.replaysNext(attempt: 2) == false)
    #expect(machine.responded(attempt: 2, at: start) == .deliver)
  }

  @Test func restartIsNoRedirect() {
    var machine = machine(in: .receiving)
    #expect(machine.restarted(attempt: 1, at: start) == true)
    #expect(machine.attempt == 2)
    #expect(machine.redirectCount == 0)
    #expect(machine.receivedData(attempt: 1, at: start) == .ignore)
    #expect(machine.responded(attempt: 2, at: start) == .deliver)
  }

  // MARK: Time

  @Test func idleTimerIsResetByProgress() {
    var machine = opened(idle: .seconds(10))
    #expect(machine.checkDeadline(at: at(9)) == .wait(until: at(10)))
    #expect(machine.checkDeadline(at: at(10)) == .idleTimeout)
    _ = machine.responded(attempt: 1, at: at(9))
    #expect(machine.checkDeadline(at: at(10)) == .wait(until: at(19)))
    _ = machine.receivedData(attempt: 1, at: at(12))
    #expect(machine.checkDeadline(at: at(20)) == .wait(until: at(22)))
    machine.progressed(attempt: 1, at: at(15))
    #expect(machine.checkDeadline(at: at(25)) == .idleTimeout)
    machine.progressed(attempt: 2, at: at(100))
    #expect(machine.checkDeadline(at: at(25)) == .idleTimeout)
  }

  @Test func idleTimerStandsStill() {
    var machine = opened(idle: .seconds(10))
    machine.waiting(true, attempt: 1, at: at(1))
    #expect(machine.checkDeadline(at: at(1000)) == .nothing)
    machine.waiting(false, attempt: 1, at: at(1000))
    #expect(machine.checkDeadline(at: at(1001)) == .wait(until: at(1010)))
    _ = machine.suspend()
    #expect(machine.checkDeadline(at: at(5000)) == .nothing)
    _ = machine.resume(at: at(5000))
    #expect(machine.checkDeadline(at: at(5001)) == .wait(until: at(5010)))
    _ = machine.challenged(attempt: 1)
    #expect(machine.checkDeadline(at: at(9000)) == .nothing)
    _ = machine.challengeAnswered(attempt: 1, at: at(9000))
    #expect(machine.checkDeadline(at: at(9000)) == .wait(until: at(9010)))
  }

  @Test func resourceTimerIsWallClock() {
    var machine = opened(idle: .seconds(10), resource: .seconds(15))
    _ = machine.responded(attempt: 1, at: at(9))
    #expect(machine.checkDeadline(at: at(9)) == .wait(until: at(15)))
    _ = machine.suspend()
    #expect(machine.checkDeadline(at: at(14)) == .wait(until: at(15)))
    #expect(machine.checkDeadline(at: at(15)) == .resourceTimeout)
    _ = machine.abort()
    #expect(machine.checkDeadline(at: at(16)) == .nothing)
  }

  @Test func noTimeoutBeforeTheStartNorAfterTheEnd() {
    let machine = machine(idle: .zero, resource: .zero)
    #expect(machine.checkDeadline(at: at(1000)) == .nothing)
    var cancelled = opened(idle: .zero, resource: .zero)
    #expect(cancelled.checkDeadline(at: start) == .resourceTimeout)
    _ = cancelled.cancel()
    #expect(cancelled.checkDeadline(at: at(1)) == .nothing)
  }
}
