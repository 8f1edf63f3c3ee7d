import Testing
import URLLoadingTestServers

@testable import URLLoading

@Suite struct URLProtocolUpstreamTests {
  /// Whoever observes may come after the first bytes: it is told of them, once.
  @Test func anAnnouncementBeforeTheObserverIsNotLost() {
    let upstream = URLProtocolUpstream { _ in .wait }
    let calls = Watched(0)
    upstream.announce()
    upstream.announce()
    upstream.observe { calls.update { $0 += 1 } }
    #expect(calls.value == 1)
    upstream.announce()
    #expect(calls.value == 2)
    upstream.observe { calls.update { $0 += 10 } }
    #expect(calls.value == 2)
    upstream.announce()
    #expect(calls.value == 12)
  }

  /// What an instance observes that was stopped says nothing of the bytes that its successor has to send.
  @Test func anEarlierAttemptsObserverReplacesNone() {
    let upstream = URLProtocolUpstream { _ in .wait }
    let calls = Watched<[Int]>([])
    func observe(_ attempt: Int) {
      upstream.forInstance(ofAttempt: attempt).observe { calls.update { $0.append(attempt) } }
    }
    observe(1)
    upstream.announce()
    observe(2)
    observe(1)
    upstream.announce()
    observe(2)
    upstream.announce()
    observe(3)
    upstream.announce()
    #expect(calls.value == [1, 2, 2, 3])
  }

  /// A function that is a generic value itself would get a thunk more with each access, and overflow the stack at last.
  @Test func manyAnnouncements() {
    let upstream = URLProtocolUpstream { _ in .wait }
    let calls = Watched(0)
    upstream.observe { calls.update { $0 += 1 } }
    for _ in 0..<200_000 { upstream.announce() }
    #expect(calls.value == 200_000)
  }
}
