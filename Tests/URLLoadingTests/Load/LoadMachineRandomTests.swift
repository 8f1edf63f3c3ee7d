import Testing
import URLLoadingBase
import URLLoadingTestServers

@testable import URLLoading

/// Random sequences of events against what holds for every load.
@Suite struct LoadMachineRandomTests {
  /// What the machine's answers make of the world outside.
  private struct World {
    let start = MonotonicInstant.now
    var machine: LoadMachine
    var now: MonotonicInstant
    var hasInstance = false
    var isInstancePaused = false
    var isWaiting = false
    var isOver = false
    var wasCancelled = false
    var ends = 0
    var buffered = 0
    var started: MonotonicInstant?
    var lastProgress: MonotonicInstant?
    var hasResponse = false
    var hasConnected = false
    var isUnconnected = false
    var reconnections = 0
    var retryDue: MonotonicInstant?
    var retries = 0
    var violations: [String] = []

    init(_ generator: inout SeededGenerator) {
      machine = LoadMachine(
        limits: .init(
          idle: Bool.random(using: &generator) ? .seconds(5) : nil,
          resource: Bool.random(using: &generator) ? .seconds(60) : nil,
          bufferedBytes: Int.random(in: 0...64, using: &generator)),
        waitsForConnectivity: Bool.random(using: &generator))
      now = start
    }

    mutating func check(_ condition: Bool, _ text: String) {
      if !condition { violations.append(text) }
    }

    mutating func flow(_ action: LoadMachine.FlowAction) {
      switch action {
      case .nothing: break
      case .pause:
        check(!isInstancePaused, "paused twice")
        isInstancePaused = true
      case .unpause:
        check(isInstancePaused, "unpaused twice")
        isInstancePaused = false
        lastProgress = now
      }
    }

    mutating func newInstance() {
      hasInstance = true
      hasResponse = false
      hasConnected = false
      isUnconnected = false
      retryDue = nil
      isInstancePaused = machine.isPaused
      isWaiting = false
      lastProgress = now
    }

    mutating func over() {
      check(!wasCancelled, "an end after cancel")
      isOver = true
    }

    mutating func step(_ generator: inout SeededGenerator) {
      now = now.advanced(by: .milliseconds(Int.random(in: 0...900, using: &generator)))
      let attempt =
        Int.random(in: 0..<10, using: &generator) == 0
        ? machine.attempt + Int.random(in: -1...1, using: &generator) : machine.attempt
      let isCurrent = attempt == machine.attempt && hasInstance
      switch Int.random(in: 0..<26, using: &generator) {
      case 0, 1, 2:
        switch machine.resume(at: now) {
        case .nothing: break
        case .open:
          check(!hasInstance && !isUnconnected && !isOver, "opened twice, or after the end")
          started = now
          newInstance()
        case .unpause: flow(.unpause)
        case .reconnect:
          check(isUnconnected && !isOver && machine.state == .running, "reconnected without a need")
          newInstance()
          reconnections += 1
        }
      case 3: flow(machine.suspend())
      case 4:
        guard Int.random(in: 0..<8, using: &generator) == 0 else { break }
        if machine.cancel() == .end {
          check(!wasCancelled && ends == 0, "cancelled twice, or after the end")
          wasCancelled = true
          isOver = true
        }
      case 5, 6:
        if case .ask(let action) = machine.redirected(attempt: attempt, at: now) {
          check(isCurrent && !isOver && !hasResponse, "redirect out of order")
          check(machine.redirectCount < 16, "too many redirects")
          lastProgress = now
          hasConnected = true
          flow(action)
        }
      case 7, 8:
        switch machine.redirectDecided(attempt: attempt, follow: .random(using: &generator), at: now) {
        case .ignore: break
        case .open:
          check(isCurrent && !isOver, "followed late")
          newInstance()
        case .replay(let action):
          flow(action)
          while machine.replaysNext(attempt: attempt) {}
        case .fail: check(false, "a listing where bytes are asked for")
        }
      case 9:
        if case .ask(let action) = machine.challenged(attempt: attempt) {
          check(isCurrent && !isOver && !hasResponse, "challenge out of order")
          hasConnected = true
          flow(action)
        }
      case 10, 11:
        guard case .pass(let action) = machine.challengeAnswered(attempt: attempt, at: now) else { break }
        flow(action)
        while machine.replaysNext(attempt: attempt) {}
      case 12:
        let action = machine.responded(attempt: attempt, at: now)
        if isCurrent, !isOver { lastProgress = now }
        if action == .deliver {
          check(isCurrent && !isOver, "response after the end")
          hasResponse = true
        }
      case 13, 14, 15:
        let action = machine.receivedData(attempt: attempt, at: now)
        if isCurrent, !isOver { lastProgress = now }
        guard action == .deliver else { break }
        check(isCurrent && !isOver && hasResponse, "data after the end, or before a response")
        let count = Int.random(in: 1...40, using: &generator)
        buffered += count
        flow(machine.buffered(count))
      case 16, 17:
        let count = Int.random(in: 0...max(0, buffered), using: &generator)
        buffered -= count
        flow(machine.consumed(count, at: now))
      case 18:
        guard Int.random(in: 0..<4, using: &generator) == 0 else { break }
        if machine.finished(attempt: attempt) == .finish {
          check(isCurrent && hasResponse && !isOver, "finish out of order")
          over()
        }
      case 19:
        let lacksConnectivity = Bool.random(using: &generator)
        guard lacksConnectivity || Int.random(in: 0..<4, using: &generator) == 0 else { break }
        switch machine.failed(attempt: attempt, lacksConnectivity: lacksConnectivity) {
        case .ignore, .retain: break
        case .end:
          check(isCurrent && !isOver, "failure out of order")
          over()
        case .awaitConnectivity:
          check(isCurrent && !isOver && lacksConnectivity, "waits out of order")
          check(!hasResponse && !hasConnected, "waits for a peer that it has reached")
          hasInstance = false
          isUnconnected = true
        }
      case 20, 21:
        guard machine.networkChanged(attempt: attempt, at: now) == .open else { break }
        check(isUnconnected && !isOver && machine.state == .running, "reconnected out of order")
        newInstance()
        reconnections += 1
      case 22:
        let due = now.advanced(by: .seconds(Int.random(in: 0...2, using: &generator)))
        guard machine.awaitRetry(attempt: attempt, until: due) else { break }
        check(isCurrent && !isOver && retryDue == nil, "waits to try again out of order")
        hasInstance = false
        retryDue = due
      case 23, 24:
        guard machine.retries(at: now) else { break }
        check(!isOver && machine.state == .running && retryDue.map { $0 <= now } == true, "tried again out of order")
        newInstance()
        retries += 1
      default:
        let waits = Bool.random(using: &generator)
        machine.waiting(waits, attempt: attempt, at: now)
        if isCurrent, !wasCancelled {
          isWaiting = waits
          lastProgress = now
        }
      }
      if isOver, Int.random(in: 0..<6, using: &generator) == 0, machine.end() { ends += 1 }
      checkInvariants()
    }

    mutating func checkInvariants() {
      check(ends <= 1, "ended twice")
      check(machine.bufferedBytes == buffered, "bytes are lost count of")
      check(machine.redirectCount <= 16, "followed too many")
      guard ends == 0 else {
        return check(machine.state == .completed && machine.checkDeadline(at: now) == .nothing, "alive after the end")
      }
      if hasInstance { check(machine.isPaused == isInstancePaused, "the instance was not told of a pause") }
      switch machine.checkDeadline(at: now) {
      case .idleTimeout:
        check(
          !machine.isPaused && !isWaiting && !isOver && !isUnconnected && retryDue == nil,
          "idle timeout while held back")
        if let lastProgress { check(lastProgress.duration(to: now) >= .seconds(5), "idle timeout too early") }
      case .resourceTimeout:
        check(!isOver, "resource timeout after the end")
        if let started { check(started.duration(to: now) >= .seconds(60), "resource timeout too early") }
      case .restTimeout: check(false, "nobody has limited the end")
      case .retry: check(retryDue.map { $0 <= now } == true && machine.state == .running, "a retry too early")
      case .wait(let instant): check(instant > now, "a deadline in the past")
      case .nothing: break
      }
    }
  }

  @Test(arguments: [1, 2, 3, 4])
  func randomSequences(seed: UInt64) async {
    var generator = SeededGenerator(seed: seed)
    var reached = (ends: 0, redirects: 0, pauses: 0, reconnections: 0, retries: 0)
    for sequence in 0..<5000 {
      // Other tests wait for events meanwhile.
      if sequence % 20 == 0 { await Task.yield() }
      var world = World(&generator)
      for _ in 0..<60 { world.step(&generator) }
      reached.ends += world.ends
      reached.redirects += world.machine.redirectCount
      reached.pauses += world.isInstancePaused ? 1 : 0
      reached.reconnections += world.reconnections
      reached.retries += world.retries
      guard world.violations.isEmpty else {
        Issue.record("seed \(seed), sequence \(sequence): \(world.violations)")
        return
      }
    }
    // A test that never gets anywhere would hold as well.
    #expect(reached.ends > 1000)
    #expect(reached.redirects > 1000)
    #expect(reached.pauses > 100)
    #expect(reached.reconnections > 100)
    #expect(reached.retries > 100)
  }
}
