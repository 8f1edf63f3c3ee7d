import Testing
import URLLoadingBase

@testable import URLLoading

/// Waiting for connectivity, in every order of events.
@Suite struct LoadMachineConnectivityTests {
  private let start = MonotonicInstant.now

  private func at(_ seconds: Double) -> MonotonicInstant { start.advanced(by: .seconds(seconds)) }

  private func opened(waits: Bool = true, idle: Duration? = nil, resource: Duration? = nil) -> LoadMachine {
    var machine = LoadMachine(
      limits: .init(idle: idle, resource: resource, bufferedBytes: 100), waitsForConnectivity: waits)
    _ = machine.resume(at: start)
    return machine
  }

  private func unconnected(idle: Duration? = nil, resource: Duration? = nil) -> LoadMachine {
    var machine = opened(idle: idle, resource: resource)
    _ = machine.failed(attempt: 1, lacksConnectivity: true)
    return machine
  }

  private static func terms(_ tells: Bool, _ seconds: Int) -> LoadMachine.FailureAction {
    .awaitConnectivity(.init(tellsDelegate: tells, limit: .seconds(seconds)))
  }

  @Test func anAttemptThatCannotConnectIsFollowedByAnother() {
    var machine = opened()
    #expect(machine.failed(attempt: 1, lacksConnectivity: true) == Self.terms(true, 1))
    #expect(machine.awaitsConnectivity && machine.state == .running)
    #expect(machine.attempt == 2)
    #expect(machine.networkChanged(attempt: 2, at: at(1)) == .open)
    #expect(!machine.awaitsConnectivity && machine.attempt == 3 && machine.redirectCount == 0)
    #expect(machine.networkChanged(attempt: 2, at: at(1)) == .ignore)
    #expect(machine.networkChanged(attempt: 3, at: at(1)) == .ignore)
    #expect(machine.responded(attempt: 3, at: at(2)) == .deliver)
    #expect(machine.finished(attempt: 3) == .finish)
  }

  @Test func itIsToldOnceAndTriedLessAndLessOften() {
    var machine = opened()
    for seconds in [1, 2, 4, 8, 16, 30, 30, 30] {
      #expect(machine.failed(attempt: machine.attempt, lacksConnectivity: true) == Self.terms(seconds == 1, seconds))
      #expect(machine.networkChanged(attempt: machine.attempt, at: start) == .open)
    }
  }

  @Test func aLoadThatDoesNotWaitFails() {
    var machine = opened(waits: false)
    #expect(machine.failed(attempt: 1, lacksConnectivity: true) == .end)
  }

  @Test func otherFailuresFail() {
    var machine = opened()
    #expect(machine.failed(attempt: 1) == .end)
    var second = unconnected()
    _ = second.networkChanged(attempt: 2, at: start)
    #expect(second.failed(attempt: 3) == .end)
  }

  enum Contact: CaseIterable { case response, challenge, refusedRedirect, progress }

  @Test(arguments: Contact.allCases) func whatHasReachedItsPeerFails(by contact: Contact) {
    var machine = opened()
    switch contact {
    case .response: _ = machine.responded(attempt: 1, at: start)
    case .challenge:
      _ = machine.challenged(attempt: 1)
      _ = machine.challengeAnswered(attempt: 1, at: start)
    case .refusedRedirect:
      _ = machine.redirected(attempt: 1, at: start)
      _ = machine.redirectDecided(attempt: 1, follow: false, at: start)
      _ = machine.replaysNext(attempt: 1)
    case .progress: machine.progressed(attempt: 1, at: start)
    }
    #expect(machine.failed(attempt: 1, lacksConnectivity: true) == .end)
  }

  @Test func aFailureDuringAChallengeOrBehindARedirectFails() {
    var challenged = opened()
    _ = challenged.challenged(attempt: 1)
    #expect(challenged.failed(attempt: 1, lacksConnectivity: true) == .end)
    var redirected = opened()
    _ = redirected.redirected(attempt: 1, at: start)
    #expect(redirected.failed(attempt: 1, lacksConnectivity: true) == .retain)
    _ = redirected.redirectDecided(attempt: 1, follow: false, at: start)
    _ = redirected.replaysNext(attempt: 1)
    #expect(redirected.failed(attempt: 1, isReplay: true, lacksConnectivity: true) == .end)
  }

  @Test func whereARedirectLeadsIsWaitedForToo() {
    var machine = opened()
    _ = machine.redirected(attempt: 1, at: start)
    _ = machine.redirectDecided(attempt: 1, follow: true, at: start)
    #expect(machine.failed(attempt: 2, lacksConnectivity: true) == Self.terms(true, 1))
    #expect(machine.networkChanged(attempt: 3, at: start) == .open)
    #expect(machine.redirected(attempt: 4, at: start) == .ask(.pause))
    #expect(machine.redirectCount == 1)
  }

  @Test func waitingForAConnectionIsNoContact() {
    var machine = opened()
    machine.waiting(true, attempt: 1, at: start)
    machine.waiting(false, attempt: 1, at: start)
    #expect(machine.failed(attempt: 1, lacksConnectivity: true) == Self.terms(true, 1))
  }

  @Test func whatTheStoppedInstanceStillSendsIsIgnored() {
    var machine = unconnected()
    #expect(machine.redirected(attempt: 1, at: start) == .ignore)
    #expect(machine.challenged(attempt: 1) == .ignore)
    #expect(machine.responded(attempt: 1, at: start) == .ignore)
    #expect(machine.receivedData(attempt: 1, at: start) == .ignore)
    #expect(machine.finished(attempt: 1) == .ignore)
    #expect(machine.failed(attempt: 1) == .ignore)
    #expect(machine.failed(attempt: 1, lacksConnectivity: true) == .ignore)
    machine.progressed(attempt: 1, at: start)
    #expect(machine.awaitsConnectivity)
    #expect(machine.networkChanged(attempt: 1, at: start) == .ignore)
    #expect(machine.networkChanged(attempt: 2, at: start) == .open)
    // Nor does it count as contact of the next.
    machine.progressed(attempt: 1, at: start)
    #expect(machine.failed(attempt: 3, lacksConnectivity: true) == Self.terms(false, 2))
  }

  // MARK: The user

  @Test func cancelWhileItWaits() {
    var machine = unconnected()
    #expect(machine.cancel() == .end)
    #expect(!machine.awaitsConnectivity)
    #expect(machine.networkChanged(attempt: 2, at: start) == .ignore)
    #expect(machine.end() == true)
    #expect(machine.networkChanged(attempt: 2, at: start) == .ignore)
  }

  @Test func cancelThatComesFirst() {
    var machine = opened()
    #expect(machine.cancel() == .end)
    #expect(machine.failed(attempt: 1, lacksConnectivity: true) == .ignore)
    #expect(!machine.awaitsConnectivity)
  }

  @Test func abortWhileItWaits() {
    var machine = unconnected()
    #expect(machine.abort() == .end)
    #expect(machine.networkChanged(attempt: 2, at: start) == .ignore)
  }

  @Test func aSuspendedTaskBeginsWhenItIsResumed() {
    var machine = unconnected()
    #expect(machine.suspend() == .pause)
    #expect(machine.suspend() == .nothing)
    #expect(machine.networkChanged(attempt: 2, at: start) == .ignore)
    #expect(machine.state == .suspended && machine.awaitsConnectivity)
    #expect(machine.resume(at: at(1)) == .nothing)
    #expect(machine.resume(at: at(2)) == .reconnect)
    #expect(!machine.isPaused && machine.attempt == 3)
    #expect(machine.responded(attempt: 3, at: at(3)) == .deliver)
  }

  @Test func aTaskThatIsResumedBeforeTheChangeWaitsOn() {
    var machine = unconnected()
    _ = machine.suspend()
    #expect(machine.resume(at: start) == .unpause)
    #expect(machine.awaitsConnectivity)
    #expect(machine.networkChanged(attempt: 2, at: start) == .open)
  }

  @Test func aTaskThatWasSuspendedBeforeItFailed() {
    var machine = opened()
    _ = machine.suspend()
    #expect(machine.failed(attempt: 1, lacksConnectivity: true) == Self.terms(true, 1))
    #expect(machine.networkChanged(attempt: 2, at: start) == .ignore)
    #expect(machine.resume(at: start) == .reconnect)
    // The change before does not count for the next wait.
    #expect(machine.failed(attempt: 3, lacksConnectivity: true) == Self.terms(false, 2))
    _ = machine.suspend()
    #expect(machine.resume(at: start) == .unpause)
    #expect(machine.awaitsConnectivity)
  }

  // MARK: Time

  @Test func onlyTheResourceTimerRuns() {
    var machine = unconnected(idle: .seconds(10), resource: .seconds(100))
    #expect(machine.checkDeadline(at: at(50)) == .wait(until: at(100)))
    #expect(machine.checkDeadline(at: at(100)) == .resourceTimeout)
    #expect(machine.networkChanged(attempt: 2, at: at(60)) == .open)
    // Both run from there on, the resource timer from the first resume.
    #expect(machine.checkDeadline(at: at(61)) == .wait(until: at(70)))
    #expect(machine.checkDeadline(at: at(70)) == .idleTimeout)
    machine.progressed(attempt: 3, at: at(95))
    #expect(machine.checkDeadline(at: at(96)) == .wait(until: at(100)))
    #expect(machine.checkDeadline(at: at(100)) == .resourceTimeout)
  }

  @Test func withoutAResourceTimerItWaitsForEver() {
    let machine = unconnected(idle: .seconds(10))
    #expect(machine.checkDeadline(at: at(1e6)) == .nothing)
  }
}
