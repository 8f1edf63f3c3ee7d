import Foundation
import Testing
import URLLoadingBase
import URLLoadingTestServers

@testable import URLLoading

/// What comes after the effects of a machine.
@Suite(.timeLimit(.minutes(1))) struct EffectRunnerTests {
  private struct Machine: EffectMachine {
    var effects: [String] = []
    mutating func takeEffects() -> [String] { exchange(&effects, with: []) }
  }

  /// Another thread is in the middle of effects: what is to come after them waits for it, and its caller does not.
  @Test func theLastCallWaitsForAnotherThread() async throws {
    let runner = EffectRunner(Machine())
    let notes = Watched<[String]>([])
    let goesOn = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      runner.update(
        { $0.effects = ["first", "second"] },
        carryingOut: { effect in
          notes.update { $0.append(effect) }
          if effect == "first" { _ = goesOn.wait(timeout: .now() + 30) }
        })
    }
    let isAtWork = await notes.wait { $0 == ["first"] }
    #expect(isAtWork)
    runner.update(
      { $0.effects.append("third") }, carryingOut: { effect in notes.update { $0.append("here: \(effect)") } },
      then: { notes.update { $0.append("last") } })
    #expect(notes.value == ["first"])
    goesOn.signal()
    let isDone = await notes.wait { $0 == ["first", "second", "third", "last"] }
    #expect(isDone, "\(notes.value)")
  }

  @Test func theLastCallComesBehindItsOwnEffects() {
    let runner = EffectRunner(Machine())
    let notes = Watched<[String]>([])
    runner.update(
      { $0.effects = ["a", "b"] },
      carryingOut: { effect in
        notes.update { $0.append(effect) }
        // From within an effect, as the end of a load is.
        guard effect == "a" else { return }
        runner.update(
          { $0.effects.append("c") }, carryingOut: { _ in }, then: { notes.update { $0.append("inner") } })
      }, then: { notes.update { $0.append("outer") } })
    #expect(notes.value == ["a", "b", "outer", "c", "inner"])
  }
}
