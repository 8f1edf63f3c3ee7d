import Testing

@testable import URLLoading

@Suite struct PACSourceTests {
  private func source(_ dictionary: [AnyHashable: Any]) -> PACSource? { PACSource(ProxyDictionary(dictionary)) }

  @Test func settingsOfASession() {
    let url = "http://a.example/proxy.pac"
    #expect(source([kCFNetworkProxiesProxyAutoConfigURLString: url]) == .url("http://a.example/proxy.pac"))
    #expect(
      source([kCFNetworkProxiesProxyAutoConfigEnable: 1, kCFNetworkProxiesProxyAutoConfigURLString: " \(url)\n"])
        == .url("http://a.example/proxy.pac"))
    #expect(source(["ProxyAutoConfigURLString": URL("file:///a.pac") as Any]) == .url("file:///a.pac"))
    #expect(source([kCFNetworkProxiesProxyAutoConfigJavaScript: "x"]) == .script("x"))
    #expect(source(["ProxyAutoConfigJavaScript": "x", "ProxyAutoConfigURLString": url]) == .script("x"))
  }

  @Test func oneProxy() {
    #expect(
      source([
        kCFProxyTypeKey: kCFProxyTypeAutoConfigurationURL, kCFProxyAutoConfigurationURLKey: "data:,x",
      ]) == .url("data:,x"))
    #expect(
      source([
        kCFProxyTypeKey: kCFProxyTypeAutoConfigurationJavaScript, kCFProxyAutoConfigurationJavaScriptKey: "x",
      ]) == .script("x"))
    #expect(source([kCFProxyAutoConfigurationURLKey: "data:,x"]) == nil)
  }

  @Test func disabledOrAbsent() {
    #expect(source([:]) == nil)
    #expect(source(["ProxyAutoConfigEnable": 1]) == nil)
    #expect(source(["ProxyAutoConfigEnable": 0, "ProxyAutoConfigURLString": "http://a.example/"]) == nil)
    #expect(source(["ProxyAutoConfigURLString": ""]) == nil)
  }

  @Test func noURL() {
    #expect(source(["ProxyAutoConfigURLString": "proxy.pac"]) == .invalid("proxy.pac"))
  }
}
