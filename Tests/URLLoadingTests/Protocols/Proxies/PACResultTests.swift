import Testing
import URLLoadingCurlTransport

@testable import URLLoading

@Suite struct PACResultTests {
  @Test func everyKind() {
    let text = "PROXY a:1; http b:2;HTTPS c:3 ; SOCKS d:4;SOCKS5 e:5; SOCKS4 f:6; DIRECT"
    #expect(
      PACResult.candidates(text) == [
        ProxyServer(host: "a", port: 1), ProxyServer(host: "b", port: 2), ProxyServer(kind: .https, host: "c", port: 3),
        ProxyServer(kind: .socks5h, host: "d", port: 4), ProxyServer(kind: .socks5h, host: "e", port: 5),
        ProxyServer(kind: .socks4a, host: "f", port: 6), nil,
      ])
  }

  @Test(arguments: [
    ("PROXY a", ProxyServer(host: "a", port: 80)), ("HTTPS a", ProxyServer(kind: .https, host: "a", port: 443)),
    ("SOCKS a", ProxyServer(kind: .socks5h, host: "a", port: 1080)),
    ("PROXY [::1]:8", ProxyServer(host: "::1", port: 8)), ("PROXY [::1]", ProxyServer(host: "::1", port: 80)),
    ("\tproxy  a.b:9\n", ProxyServer(host: "a.b", port: 9)),
  ])
  func forms(text: String, expected: ProxyServer) {
    #expect(PACResult.candidates(text) == [expected])
  }

  @Test(arguments: ["DIRECT", "direct;", "", "  ", "null", ";DIRECT;;"])
  func direct(text: String) {
    #expect(PACResult.candidates(text) == [nil])
  }

  @Test(arguments: [
    "undefined", "5", "[object Object]", "PROXY", "PROXY a:0", "PROXY a:x", "PROXY a b", "DIRECT a", "PROXY u:p@a:1",
    "FTP a:1", "PROXY a/b", ";;", "PROXY http://a:1", "PROXY :80",
  ])
  func nothingOfUse(text: String) {
    #expect(PACResult.candidates(text) == nil)
  }

  @Test func whatIsOfNoUseIsPassedOver() {
    #expect(PACResult.candidates("QUIC q:1; PROXY x:99999; PROXY a:1") == [ProxyServer(host: "a", port: 1)])
  }

  @Test func longListsAreCut() {
    let text = (0..<1000).map { "PROXY p\($0):1" }.joined(separator: ";")
    #expect(ProxyRoute(PACResult.candidates(text) ?? []).candidates.count == 16)
  }
}
