import Testing

@testable import URLLoadingCurlTransport

/// Who a URL's connection is with.
@Suite struct TLSEndpointTests {
  @Test(arguments: [
    ("https://example.org/", "example.org", 443), ("https://EXAMPLE.org:8443/a:1@b", "example.org", 8443),
    ("https://user:pass@example.org?x@y", "example.org", 443), ("https://[::1]:9/", "::1", 9),
    ("https://[::1]", "::1", 443), ("https://127.0.0.1#f", "127.0.0.1", 443),
    ("ftp://example.org/f", "example.org", 21),
    ("ftps://example.org:2121", "example.org", 2121),
  ])
  func isReadFromTheURL(_ url: String, _ host: String, _ port: Int) {
    #expect(TLSEndpoint(url: url) == TLSEndpoint(host: host, port: port))
  }

  @Test(arguments: ["", "https:", "https://", "https:///a", "https://[::1", "https://:80/"])
  func aURLWithoutAHostHasNone(_ url: String) { #expect(TLSEndpoint(url: url) == nil) }

  @Test func handshakesOfAConnectionThroughAProxyAreTwo() {
    let proxy = ProxyServer(kind: .https, host: "proxy.example", port: 3129)
    var handshakes = Handshakes()
    #expect(
      handshakes.begins(url: "https://example.org/", proxy: proxy)
        == TLSEndpoint(host: "proxy.example", port: 3129, isProxy: true))
    #expect(handshakes.begins(url: "https://example.org/", proxy: proxy) == TLSEndpoint(host: "example.org", port: 443))
    // The next connection begins anew.
    handshakes = Handshakes()
    #expect(handshakes.begins(url: "https://example.org/", proxy: proxy)?.isProxy == true)
    let plain = ProxyServer(host: "proxy.example", port: 3128)
    handshakes = Handshakes()
    #expect(handshakes.begins(url: "https://example.org/", proxy: plain)?.isProxy == false)
  }
}
