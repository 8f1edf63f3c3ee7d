import Testing

@testable import URLLoadingBase
@testable import URLLoadingRedis

struct RedisLinkTests {
  private let start = MonotonicInstant.now

  private func link() -> RedisLink { RedisLink(timeout: .seconds(2), pause: .seconds(1)) }
  private func at(_ seconds: Int) -> MonotonicInstant { start.advanced(by: .seconds(seconds)) }

  @Test func theFirstCommandConnectsAndOthersAreHeld() {
    var link = link()
    #expect(link.requested(at: start) == .connect)
    #expect(link.requested(at: start) == .queue)
    link.connected()
    #expect(link.requested(at: start) == .send)
    #expect(link.waitingCount == 3)
  }

  @Test func aFailureRefusesForAWhile() {
    var link = link()
    _ = link.requested(at: start)
    link.failed(at: start)
    #expect(link.waitingCount == 0)
    #expect(link.requested(at: start) == .refuse)
    #expect(link.requested(at: at(1)) == .connect)
  }

  @Test func theOldestCommandDecidesTheDeadline() {
    var link = link()
    #expect(link.deadlineReached(at: start) == .none)
    _ = link.requested(at: start)
    link.connected()
    _ = link.requested(at: at(1))
    #expect(link.deadlineReached(at: at(1)) == .look(at(2)))
    link.gotAnswer()
    #expect(link.deadlineReached(at: at(2)) == .look(at(3)))
    #expect(link.deadlineReached(at: at(3)) == .disconnect)
    link.gotAnswer()
    #expect(link.deadlineReached(at: at(9)) == .none)
  }

  @Test func aConnectionThatEndsIdleIsMadeAnew() {
    var link = link()
    _ = link.requested(at: start)
    link.connected()
    link.gotAnswer()
    link.closed(at: start)
    #expect(link.requested(at: start) == .connect)
    link.connected()
    link.closed(at: start)
    #expect(link.requested(at: start) == .refuse)
  }

  @Test func manyAnswersLeaveNothing() {
    var link = link()
    _ = link.requested(at: start)
    link.connected()
    link.gotAnswer()
    for _ in 0..<10_000 { _ = link.requested(at: start) }
    for _ in 0..<10_000 { link.gotAnswer() }
    #expect(link.waitingCount == 0 && link.deadlineReached(at: at(9)) == .none)
  }
}
