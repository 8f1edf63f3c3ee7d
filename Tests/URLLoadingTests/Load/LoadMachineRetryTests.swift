import Testing
import URLLoadingBase

@testable import URLLoading

/// Retries, in every order of events.
@Suite struct LoadMachineRetryTests {
  private let start = MonotonicInstant.now

  private func at(_ seconds: Double) -> MonotonicInstant { start.advanced(by: .seconds(seconds)) }

  private func opened(idle: Duration? = nil, resource: Duration? = nil) -> LoadMachine {
    var machine = LoadMachine(limits: .init(idle: idle, resource: resource, bufferedBytes: 100))
    _ = machine.resume(at: start)
    return machine
  }

  /// Waits since the start for an attempt that is due after so many seconds.
  private func waiting(
    for seconds: Double, afterResponse: Bool = false, idle: Duration? = nil, resource: Duration? = nil
  ) -> LoadMachine {
    var machine = opened(idle: idle, resource: resource)
    if afterResponse { _ = machine.responded(attempt: 1, at: start) }
    _ = machine.awaitRetry(attempt: 1, until: at(seconds))
    return machine
  }

  @Test(arguments: [false, true]) func theNextAttemptBeginsWhenItIsDue(afterResponse: Bool) {
    var machine = waiting(for: 5, afterResponse: afterResponse)
    #expect(machine.awaitsRetry && machine.state == .running && machine.attempt == 1)
    #expect(machine.checkDeadline(at: at(4)) == .wait(until: at(5)))
    let early = machine.retries(at: at(4))
    #expect(!early)
    #expect(machine.checkDeadline(at: at(5)) == .retry)
    let times = (0..<2).map { _ in machine.retries(at: at(5)) }
    #expect(times == [true, false])
    #expect(!machine.awaitsRetry && machine.attempt == 2)
    #expect(machine.checkDeadline(at: at(6)) == .nothing)
    #expect(machine.responded(attempt: 2, at: at(6)) == .deliver)
    #expect(machine.finished(attempt: 2) == .finish)
  }

  @Test func whatTheInstanceStillSendsIsIgnored() {
    var machine = waiting(for: 5)
    #expect(machine.redirected(attempt: 1, at: start) == .ignore)
    #expect(machine.challenged(attempt: 1) == .ignore)
    #expect(machine.responded(attempt: 1, at: start) == .ignore)
    #expect(machine.receivedData(1000, attempt: 1, at: start) == .ignore)
    #expect(machine.receivedEntries(attempt: 1, at: start) == .ignore)
    #expect(machine.failed(attempt: 1) == .ignore)
    #expect(machine.finished(attempt: 1) == .ignore)
    #expect(machine.checkDeadline(at: at(5)) == .retry)
    let begins = machine.retries(at: at(5))
    #expect(begins)
    #expect(machine.responded(attempt: 1, at: at(5)) == .ignore)
    #expect(machine.receivedData(1, attempt: 1, at: at(5)) == .ignore)
  }

  @Test func aSuspendedTaskWaitsUntilItIsResumed() {
    var machine = waiting(for: 5, idle: .seconds(1))
    #expect(machine.suspend() == .pause)
    #expect(machine.dueRetry == nil && machine.checkDeadline(at: at(9)) == .nothing)
    let early = machine.retries(at: at(9))
    #expect(!early && machine.state == .suspended)
    #expect(machine.resume(at: at(9)) == .unpause)
    #expect(machine.dueRetry == at(5) && machine.checkDeadline(at: at(9)) == .retry)
    let begins = machine.retries(at: at(9))
    #expect(begins && machine.state == .running)
    #expect(machine.checkDeadline(at: at(9.5)) == .wait(until: at(10)))
  }

  @Test func resumingBeforeItIsDueWaitsOn() {
    var machine = waiting(for: 5)
    _ = machine.suspend()
    _ = machine.suspend()
    #expect(machine.resume(at: at(2)) == .nothing)
    #expect(machine.resume(at: at(2)) == .unpause)
    #expect(machine.checkDeadline(at: at(3)) == .wait(until: at(5)))
  }

  @Test func cancellingEndsTheWait() {
    var machine = waiting(for: 5)
    #expect(machine.cancel() == .end)
    #expect(!machine.awaitsRetry && machine.state == .canceling)
    #expect(machine.checkDeadline(at: at(6)) == .nothing)
    let begins = machine.retries(at: at(6))
    #expect(!begins)
    let ends = machine.end()
    #expect(ends)
  }

  @Test func abortingEndsTheWait() {
    var machine = waiting(for: 5)
    #expect(machine.abort() == .end)
    let begins = machine.retries(at: at(6))
    #expect(!begins)
  }

  @Test func theResourceTimeoutRunsAndThatForRequestsDoesNot() {
    let machine = waiting(for: 50, idle: .seconds(1), resource: .seconds(10))
    #expect(machine.checkDeadline(at: at(5)) == .wait(until: at(10)))
    #expect(machine.checkDeadline(at: at(10)) == .resourceTimeout)
    #expect(machine.timeLeft(at: at(4)) == .seconds(6))
    #expect(opened().timeLeft(at: at(4)) == nil)
    var suspended = machine
    _ = suspended.suspend()
    #expect(suspended.checkDeadline(at: at(5)) == .wait(until: at(10)))
  }

  @Test func anAttemptHasARequestTimeoutOfItsOwn() {
    var machine = waiting(for: 5, idle: .seconds(2))
    _ = machine.retries(at: at(5))
    #expect(machine.checkDeadline(at: at(6)) == .wait(until: at(7)))
    #expect(machine.checkDeadline(at: at(7)) == .idleTimeout)
  }

  @Test func whatIsUndecidedOrOverIsNotRetried() {
    var redirecting = opened()
    _ = redirecting.redirected(attempt: 1, at: start)
    var challenged = opened()
    _ = challenged.challenged(attempt: 1)
    var finishing = opened()
    _ = finishing.responded(attempt: 1, at: start)
    _ = finishing.finished(attempt: 1)
    var cancelled = opened()
    _ = cancelled.cancel()
    let unstarted = LoadMachine(limits: .init())
    for machine in [redirecting, challenged, finishing, cancelled, unstarted] {
      var machine = machine
      let state = machine.state
      #expect(!machine.mayRetry(attempt: 1, mayFollowResponse: true))
      let waits = machine.awaitRetry(attempt: 1, until: start)
      #expect(!waits && machine.state == state)
    }
    #expect(!opened().mayRetry(attempt: 2))
    var receiving = opened()
    _ = receiving.responded(attempt: 1, at: start)
    #expect(!receiving.mayRetry(attempt: 1) && receiving.mayRetry(attempt: 1, mayFollowResponse: true))
    #expect(
      receiving.hasResponse(attempt: 1) && !receiving.hasResponse(attempt: 2) && !opened().hasResponse(attempt: 1))
  }

  @Test func bytesThatWaitForTheConsumerKeepTheGateClosed() {
    var machine = opened()
    _ = machine.responded(attempt: 1, at: start)
    #expect(machine.buffered(200) == .pause)
    let waits = machine.awaitRetry(attempt: 1, until: at(1))
    #expect(waits)
    _ = machine.retries(at: at(1))
    #expect(machine.isPaused && machine.bufferedBytes == 200)
    #expect(machine.consumed(200, at: at(2)) == .unpause)
  }

  @Test func redirectsOfAllAttemptsCountTogether() {
    var machine = opened()
    _ = machine.redirected(attempt: 1, at: start)
    _ = machine.redirectDecided(attempt: 1, follow: true, at: start)
    let waits = machine.awaitRetry(attempt: 2, until: at(1))
    #expect(waits)
    _ = machine.retries(at: at(1))
    #expect(machine.redirectCount == 1 && machine.attempt == 3)
  }
}
