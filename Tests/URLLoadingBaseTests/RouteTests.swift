import Glibc
import Testing
import URLLoadingTestServers

@testable import URLLoadingBase

@Suite struct RouteTests {
  @Test(arguments: [
    (ENETUNREACH, true), (ENETDOWN, true), (EHOSTUNREACH, false), (EADDRNOTAVAIL, false), (ECONNREFUSED, false),
    (ETIMEDOUT, false), (0, false),
  ])
  func loopbackHasARoute(error: Int32, isMissing: Bool) {
    LoopbackAddress(port: 9).withPointer { address, length in
      #expect(Route.exists(to: address, length: length))
      #expect(Route.isMissing(error, to: address, length: length) == isMissing)
    }
  }

  @Test func nothingIsKnownOfOtherFamilies() {
    var address = sockaddr()
    address.sa_family = sa_family_t(AF_UNSPEC)
    #expect(Route.exists(to: &address, length: socklen_t(MemoryLayout<sockaddr>.size)))
  }
}
