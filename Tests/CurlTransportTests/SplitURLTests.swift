import Testing
import URLLoadingBase

@testable import URLLoadingCurlTransport

/// Which URLs libcurl gets in two parts.
@Suite struct SplitURLTests {
  private func origin(of url: String) -> String? {
    url.withBytes { bytes in
      SplitURL.originLength(bytes).map { String(decoding: bytes.prefix($0), as: UTF8.self) }
    }
  }

  @Test(arguments: [
    ("http://a.test/", "http://a.test"), ("HTTPS://A.test:8443/b?c", "HTTPS://A.test:8443"),
    ("http://[::1]:80/?", nil), ("http://[::1]:80/a?b=?&%c3%A9/#", nil),
    ("https://[::1]:80//a?%c3/?", "https://[::1]:80"),
    ("http://1.2.3.4/../a/./%2F%C3%A9;x=@:", "http://1.2.3.4"),
    ("http://a_b-c.test/'\"<>\\^`{|}~", "http://a_b-c.test"),
    ("http://user@a.test/", nil), ("http://user:secret@a.test/", nil), ("http://a.test", nil), ("http://a.test?b", nil),
    ("http://a.test#b", nil), ("http://a.test/#b", nil), ("http://a.test/b?c#d", nil), ("http://a.test/?", nil),
    ("http://a.test/é", nil), ("http://a.test/?é", nil), ("http://ä.test/", nil), ("http://a.test/%c3", nil),
    ("http://a.test/%3d", nil), ("http://a.test/ ", nil), ("http://a.test/\u{7f}", nil), ("http:///a", nil),
    ("http://a%2Etest/", nil), ("http://a\\b/", nil), ("http:/a", nil), ("ftp://a.test/b", nil), ("http", nil),
    ("", nil),
    ("http://", nil),
  ])
  func originIsWhatStandsBeforeThePath(url: String, expected: String?) {
    #expect(origin(of: url) == expected)
  }

  @Test func handlesSplitWhatTheyMay() throws {
    let easy = try #require(EasyHandle(reactor: Reactor()))
    var configuration = TransferEngineConfiguration()
    func isSplit(_ proxy: ProxyServer? = nil, _ change: (inout TransferRequest) -> Void = { _ in }) throws -> Bool {
      var request = TransferRequest(url: "http://a.test/b")
      change(&request)
      try easy.configure(for: request, body: .none, configuration, proxy)
      return easy.origin.isSet
    }
    #expect(try isSplit())
    #expect(try isSplit { $0.url = "https://a.test/b" })
    #expect(try isSplit { $0.method = "DELETE" })
    #expect(try !isSplit { $0.url = "http://a.test/b#c" })
    #expect(try isSplit(ProxyServer(kind: .socks5h, host: "p", port: 1)))
    #expect(try isSplit(ProxyServer(host: "p", port: 1)) { $0.url = "https://a.test/b" })
    #expect(try !isSplit(ProxyServer(host: "p", port: 1)))
    #expect(try !isSplit(ProxyServer(kind: .https, host: "p", port: 1)))
    #expect(
      try !isSplit { $0.credential = TransferCredential(user: "u", password: "p", schemes: .digest) })
    #expect(try !isSplit { $0.connectsOnly = true })
    #expect(try !isSplit { $0.switchesProtocols = true })
    #expect(try isSplit())
    configuration.splitsURLs = false
    #expect(try !isSplit())
  }
}
