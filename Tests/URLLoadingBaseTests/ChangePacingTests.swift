import Testing

@testable import URLLoadingBase

@Suite struct ChangePacingTests {
  private let start = MonotonicInstant.now

  private func at(_ seconds: Double) -> MonotonicInstant { start.advanced(by: .seconds(seconds)) }

  @Test func aBurstIsGivenTimeToBeOver() {
    var pacing = ChangePacing()
    #expect(pacing.due(at: start) == at(0.05))
    pacing.told(at: at(0.05))
    #expect(pacing.due(at: at(0.06)) == at(0.11))
  }

  @Test func changesWithoutEndAreSlowedDown() {
    var pacing = ChangePacing()
    var now = start
    var count = 0
    // A change each millisecond, for ten minutes.
    while now < at(600) {
      now = pacing.due(at: now.advanced(by: .milliseconds(1)))
      pacing.told(at: now)
      count += 1
    }
    #expect(count > 600 / 5 && count <= 600 / 5 + ChangePacing.burst + 1, "\(count)")
  }

  @Test func quietPaysBack() {
    var pacing = ChangePacing()
    for _ in 0..<100 { pacing.told(at: start) }
    #expect(pacing.due(at: start) > at(60))
    #expect(pacing.due(at: at(1000)) == at(1000).advanced(by: ChangePacing.settling))
  }
}
