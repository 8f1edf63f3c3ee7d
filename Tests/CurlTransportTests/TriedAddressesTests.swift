import Glibc
import Testing
import URLLoadingTestServers

@testable import URLLoadingCurlTransport

@Suite struct TriedAddressesTests {
  private func tried(_ addresses: [LoopbackAddress]) -> TriedAddresses {
    var tried = TriedAddresses()
    for address in addresses {
      address.withPointer { tried.begin(UnsafeRawPointer($0), length: Int($1)) }
    }
    return tried
  }

  @Test func withoutAnAddressNothingIsKnown() {
    #expect(!TriedAddresses().lackRoute(ENETUNREACH))
  }

  @Test func theErrorOfASingleAddressCounts() {
    let one = tried([LoopbackAddress(port: 9)])
    #expect(one.lackRoute(ENETUNREACH))
    #expect(!one.lackRoute(ECONNREFUSED))
    // What hosts answer also of an address that has a route, as this one does.
    #expect(!one.lackRoute(EHOSTUNREACH))
  }

  @Test func anotherAddressThatHasARouteCountsMore() {
    // The first was refused, say, and the last has no route.
    let both = tried([LoopbackAddress(port: 9), LoopbackAddress(port: 10)])
    #expect(!both.lackRoute(ENETUNREACH))
  }
}
