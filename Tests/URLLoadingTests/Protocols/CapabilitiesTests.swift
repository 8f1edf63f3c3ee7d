import Testing
import URLLoading

/// What protocol classes declare, as a set.
@Suite struct CapabilitiesTests {
  private let all: URLProtocol.Capabilities = [
    .byteRanges, .upload, .schemes("dav", "davs"), .acceptedHTTPMethods("GET", "PUT"),
  ]

  @Test func nothingIsDeclaredByDefault() {
    let none = URLProtocol.capabilities
    #expect(none.isEmpty && none == [])
    #expect(none.schemes == [] && none.acceptedHTTPMethods == nil)
    #expect(none.union(.acceptedHTTPMethods()).isEmpty && none.union(.schemes()).isEmpty)
    for one: URLProtocol.Capabilities in [.listing, .schemes("a"), .acceptedHTTPMethods("GET")] {
      #expect(!one.isEmpty && one != none && !none.contains(one) && one.contains(none))
    }
  }

  @Test func aLiteralUnitesItsElements() {
    #expect(all.contains(.byteRanges) && all.contains(.upload) && !all.contains(.listing))
    #expect(all.schemes == ["dav", "davs"])
    #expect(all.acceptedHTTPMethods == ["GET", "PUT"])
  }

  @Test func namesKeepTheirOrderEachOnce() {
    let more = all.union([.schemes("a", "dav", "a"), .acceptedHTTPMethods("DELETE", "GET"), .listing])
    #expect(more.schemes == ["dav", "davs", "a"])
    #expect(more.acceptedHTTPMethods == ["GET", "PUT", "DELETE"])
    #expect(more.contains(.listing) && more.contains(.byteRanges))
    #expect(URLProtocol.Capabilities.schemes("b", "b").schemes == ["b"])
    var inserted = all
    inserted.insert([.schemes("a"), .acceptedHTTPMethods("DELETE"), .listing])
    #expect(inserted == more)
  }

  @Test func theOrderIsNoPartOfEquality() {
    let reversed: URLProtocol.Capabilities = [
      .acceptedHTTPMethods("PUT"), .schemes("davs"), .upload, .schemes("dav"), .acceptedHTTPMethods("GET"), .byteRanges,
    ]
    #expect(reversed == all)
    #expect(reversed.subtracting(.schemes("dav")) != all)
  }

  @Test(
    arguments: [
      .byteRanges, [.byteRanges, .listing], .schemes("dav"), .schemes("dav", "http"), .acceptedHTTPMethods("PUT"),
      .acceptedHTTPMethods("PUT", "POST"), [.upload, .schemes("davs"), .acceptedHTTPMethods("GET")], [],
    ] as [URLProtocol.Capabilities])
  func whatIsContainedAddsNothing(_ some: URLProtocol.Capabilities) {
    #expect(all.contains(some) == (all.union(some) == all))
    #expect(all.contains(some) == some.subtracting(all).isEmpty)
    #expect(some.subtracting(some).isEmpty && some.union(all).contains(all))
  }

  @Test func whatIsSubtractedIsGone() {
    let rest = all.subtracting([.upload, .schemes("dav"), .acceptedHTTPMethods("PUT"), .listing])
    #expect(rest == [.byteRanges, .schemes("davs"), .acceptedHTTPMethods("GET")])
    #expect(rest.subtracting(.acceptedHTTPMethods("GET")).acceptedHTTPMethods == nil)
  }
}
