import Testing
import URLLoadingTestServers

@testable import URLLoading

@Suite struct RetryBackoffTests {
  @Test func timesDoubleUpToTheLongest() {
    let backoff = RetryBackoff(first: 0.5, longest: 30, isJittered: false)
    var generator = SeededGenerator(seed: 1)
    let times = (1...9).map { backoff.delay(before: $0, using: &generator) }
    #expect(times == [0.5, 1, 2, 4, 8, 16, 30, 30, 30])
    #expect(backoff.limit(before: .max) == 30 && backoff.limit(before: 0) == 0.5 && backoff.limit(before: .min) == 0.5)
  }

  @Test(arguments: [1, 2, 3] as [UInt64]) func aJitteredTimeIsAnywhereUpToThat(seed: UInt64) {
    let backoff = RetryBackoff(first: 1, longest: 30, isJittered: true)
    var generator = SeededGenerator(seed: seed)
    for number in 1...10 {
      let limit = backoff.limit(before: number)
      let times = (0..<200).map { _ in backoff.delay(before: number, using: &generator) }
      #expect(times.allSatisfy { (0...limit).contains($0) })
      #expect(times.contains { $0 < limit / 4 } && times.contains { $0 > limit * 3 / 4 })
    }
  }

  @Test func equalGeneratorsGiveEqualTimes() {
    let backoff = RetryBackoff(first: 1, longest: 30, isJittered: true)
    var (first, second) = (SeededGenerator(seed: 5), SeededGenerator(seed: 5))
    let times = (1...9).map { backoff.delay(before: $0, using: &first) }
    #expect(times == (1...9).map { backoff.delay(before: $0, using: &second) })
  }

  @Test(arguments: [0, -1, .nan] as [Double]) func oddTimesAreNone(time: Double) {
    var generator = SeededGenerator(seed: 1)
    let backoff = RetryBackoff(first: time, longest: 30, isJittered: true)
    #expect(backoff.delay(before: 3, using: &generator) == 0)
  }

  @Test func endlessTimesNeitherEndNorCrash() {
    var generator = SeededGenerator(seed: 1)
    let backoff = RetryBackoff(first: .infinity, longest: .infinity, isJittered: true)
    #expect(backoff.delay(before: 1, using: &generator) == .infinity)
  }
}
