import Testing

@testable import URLLoadingCurlTransport

/// Which cache the TLS sessions of a host are in.
@Suite struct SessionSharesTests {
  @Test func hostsKeepTheirCache() {
    var shares = SessionShares()
    let all = (0...SessionShares.hostsOfOne).map { shares.share(for: "https://\($0)") }
    let again = (0...SessionShares.hostsOfOne).map { shares.share(for: "https://\($0)") }
    #expect(all == again && !all.contains(nil))
    #expect(Set(all.dropLast()).count == 1 && all.first != all.last)
    shares.close()
  }

  @Test func theFirstOfManyIsGivenUp() {
    var shares = SessionShares()
    let first = shares.share(for: "https://0")
    for host in 1..<(SessionShares.hostsOfOne * SessionShares.most) { _ = shares.share(for: "https://\(host)") }
    let before = shares.share(for: "https://0")
    let new = shares.share(for: "https://new")
    // It comes as a new one then.
    let behind = shares.share(for: "https://0")
    let second = shares.share(for: "https://\(SessionShares.hostsOfOne)")
    #expect(before == first && new != first && behind == new)
    #expect(second != nil && second != new)
    shares.close()
  }
}
