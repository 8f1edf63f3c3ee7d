import Testing
import URLLoadingCurlTransport
import URLLoadingBase

@testable import URLLoading
@testable import URLLoadingHTTPSemantics

@Suite struct BrokenAlternativesTests {
  private static let origin = HTTPOrigin(host: "example.org", port: 443)
  private let start = MonotonicInstant(nanoseconds: 1_000_000_000)
  private var broken = BrokenAlternatives()

  private func isBroken(after seconds: Int) -> Bool {
    broken.isBroken(Self.origin, at: start.advanced(by: .seconds(seconds)))
  }

  private mutating func record(_ fault: QUICFault, after seconds: Int) {
    broken.record(fault, of: Self.origin, at: start.advanced(by: .seconds(seconds)))
  }

  @Test mutating func theTimeDoubles() {
    var now = 0
    for minutes in [5, 10, 20, 40, 80, 160, 320, 640, 1280, 2560, 2880, 2880] {
      record(.refused, after: now)
      #expect(isBroken(after: now) && isBroken(after: now + minutes * 60 - 1) && !isBroken(after: now + minutes * 60))
      now += minutes * 60
    }
  }

  @Test mutating func loadsThatFailTogetherCountOnce() {
    for second in 0..<100 { record(.refused, after: second) }
    #expect(isBroken(after: 299) && !isBroken(after: 300))
  }

  @Test(arguments: [true, false])
  mutating func oneLostHeadStartIsForgiven(isSilent: Bool) {
    record(.headStartOver(isSilent: isSilent), after: 0)
    #expect(!isBroken(after: 0) && !broken.isEmpty)
    record(.headStartOver(isSilent: isSilent), after: 10)
    #expect(isBroken(after: 10) && isBroken(after: 309) && !isBroken(after: 310))
    // One that is lost after that is the first again.
    record(.headStartOver(isSilent: isSilent), after: 310)
    #expect(!isBroken(after: 310))
  }

  @Test mutating func aConnectionThatDiesSaysNothingOfTheNext() {
    record(.pathLost, after: 0)
    record(.pathLost, after: 1)
    #expect(!isBroken(after: 1))
    broken.recordSuccess(of: Self.origin)
    for second in 2..<4 { record(.pathLost, after: second) }
    #expect(!isBroken(after: 4))
    record(.pathLost, after: 4)
    #expect(isBroken(after: 4))
  }

  @Test mutating func whatOthersHaveFoundCountsOnce() {
    record(.headStartOver(isSilent: true), after: 0)
    for _ in 0..<100 { record(.abandoned, after: 0) }
    #expect(!isBroken(after: 0))
  }

  @Test mutating func successBeginsAnew() {
    record(.headStartOver(isSilent: true), after: 0)
    broken.recordSuccess(of: Self.origin)
    record(.headStartOver(isSilent: true), after: 1)
    #expect(!isBroken(after: 1))
    record(.refused, after: 2)
    broken.recordSuccess(of: Self.origin)
    #expect(broken.isEmpty && !isBroken(after: 2))
    record(.refused, after: 3)
    #expect(!isBroken(after: 303))
  }

  @Test mutating func aChangeOfTheNetworkForgetsAll() {
    record(.refused, after: 0)
    broken.networkChanged()
    #expect(broken.isEmpty && !isBroken(after: 0))
  }

  @Test mutating func itDoesNotGrowWithoutBound() {
    record(.refused, after: 1)
    for index in 0..<BrokenAlternatives.limit {
      broken.record(
        .refused, of: HTTPOrigin(host: "h\(index)", port: 443), at: start.advanced(by: .seconds(index + 2)))
    }
    // The one that would have ended first.
    #expect(!isBroken(after: 2))
    #expect(broken.isBroken(HTTPOrigin(host: "h0", port: 443), at: start.advanced(by: .seconds(2))))
  }
}
