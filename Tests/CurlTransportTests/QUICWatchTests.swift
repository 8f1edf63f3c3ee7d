import Testing
import URLLoadingBase

@testable import URLLoadingCurlTransport

@Suite struct QUICWatchTests {
  private let start = MonotonicInstant(nanoseconds: 1_000_000_000)
  private var watch = QUICWatch(headStart: .milliseconds(200))

  private func after(_ milliseconds: Int) -> MonotonicInstant { start.advanced(by: .milliseconds(milliseconds)) }

  private mutating func looks(_ lastTurn: UInt64? = nil, mayBeRepeated: Bool = true) -> QUICWatch.Action {
    watch.deadlineIsReached(lastTurn: lastTurn, mayBeRepeated: mayBeRepeated)
  }

  @Test mutating func silenceEndsTheHeadStartEarly() {
    #expect(watch.connects(at: start) == .wait(until: after(100)))
    #expect(looks() == .giveUp(.headStartOver(isSilent: true)))
    #expect(looks() == .wait(until: .distantFuture))
  }

  @Test mutating func aHandshakeThatIsUnderWayHasTheWholeHeadStart() {
    _ = watch.connects(at: start)
    watch.hears()
    #expect(looks() == .wait(until: after(200)))
    watch.hears()
    #expect(looks() == .giveUp(.headStartOver(isSilent: false)))
  }

  @Test mutating func ofSeveralAddressesTheFirstCounts() {
    _ = watch.connects(at: start)
    #expect(watch.connects(at: after(50)) == .nothing)
    watch.hears()
    #expect(watch.connects(at: after(90)) == .nothing)
    #expect(looks() == .wait(until: after(200)))
  }

  @Test mutating func aConnectionInTimeEndsIt() {
    _ = watch.connects(at: start)
    #expect(watch.requestBegins(isNew: true, turn: 1, at: after(60)) == .wait(until: .distantFuture))
    #expect(looks() == .wait(until: .distantFuture))
    #expect(watch.answerCame() == .nothing)
  }

  @Test mutating func onAKeptConnectionASignIsWaitedFor() {
    #expect(watch.requestBegins(isNew: false, turn: 7, at: start) == .wait(until: after(1000)))
    #expect(looks(7) == .giveUp(.pathLost))
    watch = QUICWatch(headStart: nil)
    _ = watch.requestBegins(isNew: false, turn: 7, at: start)
    #expect(looks(nil) == .giveUp(.pathLost))
  }

  @Test(arguments: [true, false]) mutating func whatEndsUnansweredAfterASecondHasWaitedInVain(_ isNew: Bool) {
    #expect(!watch.hasWaitedInVain(at: after(5000)))
    _ = watch.requestBegins(isNew: isNew, turn: 7, at: start)
    #expect(!watch.hasWaitedInVain(at: after(999)) && watch.hasWaitedInVain(at: after(1000)))
    // A sign of life is no answer.
    _ = looks(8)
    #expect(watch.hasWaitedInVain(at: after(1000)))
    _ = watch.answerCame()
    #expect(!watch.hasWaitedInVain(at: after(5000)))
  }

  @Test mutating func aSignIsEnough() {
    _ = watch.requestBegins(isNew: false, turn: 7, at: start)
    #expect(looks(8) == .wait(until: .distantFuture))
    watch = QUICWatch(headStart: nil)
    _ = watch.requestBegins(isNew: false, turn: 7, at: start)
    #expect(watch.answerCame() == .wait(until: .distantFuture))
    #expect(looks() == .wait(until: .distantFuture))
  }

  @Test mutating func whatMustNotBeRepeatedHopes() {
    _ = watch.requestBegins(isNew: false, turn: 7, at: start)
    #expect(looks(7, mayBeRepeated: false) == .leave(lookingAgainAt: after(10_000)))
    #expect(looks(7, mayBeRepeated: false) == .giveUp(.pathLost))
    watch = QUICWatch(headStart: nil)
    _ = watch.requestBegins(isNew: false, turn: 7, at: start)
    #expect(looks(7, mayBeRepeated: false) == .leave(lookingAgainAt: after(10_000)))
    #expect(looks(9, mayBeRepeated: false) == .wait(until: .distantFuture))
  }

  @Test mutating func aRequestThatIsSentAgainIsWatchedAnew() {
    _ = watch.requestBegins(isNew: true, turn: 6, at: start)
    #expect(watch.requestBegins(isNew: false, turn: 7, at: after(10)) == .wait(until: after(1010)))
    #expect(looks(7) == .giveUp(.pathLost))
    // libcurl may open another connection for it.
    _ = watch.requestBegins(isNew: false, turn: 7, at: after(10))
    #expect(watch.connects(at: after(20)) == .wait(until: after(120)))
  }

  @Test mutating func withoutAnotherWayThereIsNoHeadStart() {
    watch = QUICWatch(headStart: nil)
    #expect(watch.connects(at: start) == .nothing)
  }

  @Test(arguments: [("a.example", "::a.example:443"), ("::1", "::[::1]:443"), ("127.0.0.1", "::127.0.0.1:443")])
  func anEndpointIsWrittenAsLibcurlReadsIt(_ host: String, _ text: String) {
    #expect(QUICRoute(host: host, port: 443, headStart: nil).connectTo == text)
  }
}
