import Testing

@testable import URLLoadingCurlTransport

@Suite struct ConnectionKeyTests {
  @Test(arguments: [
    ("http://example.org/a/b?c#d", "http://example.org"), ("http://example.org", "http://example.org"),
    ("https://example.org:8443?q=/x/", "https://example.org:8443"), ("http://[::1]:80#f", "http://[::1]:80"),
    ("ftp://example.org/", "ftp://example.org"), ("http:/", "http:/"), ("", ""),
  ])
  func withoutAProxyItIsTheOrigin(url: String, name: String) {
    let key = ConnectionKey(url: url, proxy: nil)
    #expect(key.name == name)
    #expect(key.hasName(name))
    #expect(!key.hasName(name + "x"))
    #expect(!key.hasName(String(name.dropLast()) + "~"))
  }

  @Test func whatAProxyIsSentSharesItsConnections() {
    let proxy = ProxyServer(kind: .http, host: "proxy.example", port: 3128)
    #expect(ConnectionKey(url: "http://a.example/1", proxy: proxy).name == "http://proxy.example:3128")
    #expect(ConnectionKey(url: "http://b.example/2", proxy: proxy).hasName("http://proxy.example:3128"))
    #expect(ConnectionKey(url: "https://a.example/1", proxy: proxy).name == "https://a.example")
    let tunnel = ProxyServer(kind: .socks5h, host: "proxy.example", port: 1080)
    #expect(ConnectionKey(url: "http://a.example/1", proxy: tunnel).name == "http://a.example")
  }
}
