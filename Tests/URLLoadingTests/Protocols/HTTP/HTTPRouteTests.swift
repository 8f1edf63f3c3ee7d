import Testing
import URLLoadingCurlTransport

@testable import URLLoading
@testable import URLLoadingHTTPSemantics

@Suite struct HTTPRouteTests {
  private static let origin = HTTPOrigin(host: "example.org", port: 443)
  private static let target = HTTPRoute.QUICTarget(origin: origin, endpoint: HTTPOrigin(host: "b.example", port: 1))

  private func route(to target: HTTPRoute.QUICTarget = Self.target) -> HTTPRoute {
    var route = HTTPRoute()
    route.begin(to: target)
    return route
  }

  @Test func withoutATargetARequestGoesByTCP() {
    var route = HTTPRoute()
    #expect(route.target == nil && !route.isChosen)
    #expect(route.failed(by: .refused, isRepeatable: true) == .fail)
  }

  @Test(arguments: [QUICFault.refused, .headStartOver(isSilent: true), .headStartOver(isSilent: false), .abandoned])
  func whatDidNotConnectGoesByTCP(_ fault: QUICFault) {
    var route = route()
    #expect(route.target == Self.target)
    // Nothing was sent, so the method does not matter.
    #expect(
      route.failed(by: fault, isRepeatable: false) == .beginByTCP(repeats: false) && route.target == nil
        && route.isChosen)
    // And that is the last way.
    #expect(route.failed(by: fault, isRepeatable: true) == .fail)
  }

  @Test func aLostPathIsLeftByWhatMayBeRepeated() {
    var first = route()
    #expect(first.failed(by: .pathLost, isRepeatable: true) == .beginByTCP(repeats: true) && first.target == nil)
    var second = route()
    #expect(second.failed(by: .pathLost, isRepeatable: false) == .fail)
  }

  @Test func otherFailuresAreTheRequests() {
    var route = route()
    #expect(route.failed(by: nil, isRepeatable: true) == .fail && route.target == Self.target)
  }

  @Test(arguments: [QUICFault.refused, .headStartOver(isSilent: true), .pathLost])
  func theOnlyWayIsNotLeft(_ fault: QUICFault) {
    var route = route(to: HTTPRoute.QUICTarget(origin: Self.origin, endpoint: Self.origin, isOnlyWay: true))
    #expect(route.failed(by: fault, isRepeatable: true) == .fail)
  }
}
