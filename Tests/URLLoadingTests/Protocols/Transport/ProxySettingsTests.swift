import Foundation
import Testing
import URLLoadingCurlTransport

@testable import URLLoading

@Suite struct ProxySettingsTests {
  private static func settings(_ dictionary: [AnyHashable: Any]) -> ProxySettings {
    ProxySettings(ProxyDictionary(dictionary))
  }

  @Test func nothing() {
    let settings = Self.settings([:])
    #expect(settings == ProxySettings())
  }

  @Test func everyScheme() {
    let settings = Self.settings([
      "HTTPEnable": 1, "HTTPProxy": "web", "HTTPPort": 3128, "HTTPUser": "u", "HTTPPassword": "p",
      "HTTPSProxy": "secure", "FTPProxy": "files", "FTPPort": "2121", "SOCKSProxy": "socks",
      "ExceptionsList": ["*.local", "10.0.0.0/8"], "ExcludeSimpleHostnames": true,
    ])
    #expect(settings.http == ProxyServer(kind: .http, host: "web", port: 3128, user: "u", password: "p"))
    #expect(settings.https == ProxyServer(kind: .http, host: "secure", port: 443))
    #expect(settings.ftp == ProxyServer(kind: .http, host: "files", port: 2121))
    #expect(settings.socks == ProxyServer(kind: .socks5h, host: "socks", port: 1080))
    #expect(settings.exceptions == ["*.local", "10.0.0.0/8"])
    #expect(settings.excludesSimpleHostnames)
  }

  @Test func disabledOrWithoutAHost() {
    for off in [0 as Any, false, NSNumber(value: 0), NSNumber(value: false), "0"] {
      #expect(Self.settings(["HTTPEnable": off, "HTTPProxy": "web"]).http == nil)
    }
    for on in [1 as Any, true, NSNumber(value: 1), NSNumber(value: true)] {
      #expect(Self.settings(["HTTPEnable": on, "HTTPProxy": "web"]).http?.host == "web")
    }
    #expect(Self.settings(["HTTPEnable": 1, "HTTPPort": 80]).http == nil)
    #expect(Self.settings(["HTTPProxy": ""]).http == nil)
    #expect(Self.settings(["HTTPProxy": 5]).http == nil)
  }

  @Test(arguments: [4 as any Sendable, NSNumber(value: 4).intValue, "4", "kCFStreamSocketSOCKSVersion4"])
  func socksVersion4(version: any Sendable) {
    #expect(Self.settings(["SOCKSProxy": "s", "SOCKSVersion": version]).socks?.kind == .socks4a)
  }

  @Test func sharedCredentials() {
    let settings = Self.settings(["HTTPSProxy": "s", "kCFProxyUsernameKey": "u", "kCFProxyPasswordKey": "p"])
    #expect(settings.https?.user == "u")
    #expect(settings.https?.password == "p")
  }

  @Test func streamsKeys() {
    let settings = Self.settings([
      kCFStreamPropertySOCKSProxyHost: "s", kCFStreamPropertySOCKSProxyPort: 9,
      kCFStreamPropertySOCKSVersion: kCFStreamSocketSOCKSVersion4, kCFStreamPropertySOCKSUser: "u",
      kCFStreamPropertySOCKSPassword: "p", kCFStreamPropertyHTTPProxyHost: "h", kCFStreamPropertyHTTPProxyPort: 8,
    ])
    #expect(settings.socks == ProxyServer(kind: .socks4a, host: "s", port: 9, user: "u", password: "p"))
    #expect(settings.http == ProxyServer(host: "h", port: 8))
  }

  @Test func oneProxy() {
    func settings(_ type: String) -> ProxySettings {
      Self.settings([kCFProxyTypeKey: type, kCFProxyHostNameKey: "h", kCFProxyPortNumberKey: 7])
    }
    let http = ProxyServer(host: "h", port: 7)
    #expect(settings(kCFProxyTypeHTTP).http == http && settings(kCFProxyTypeHTTP).https == http)
    #expect(settings(kCFProxyTypeHTTP).ftp == http && settings(kCFProxyTypeHTTP).socks == nil)
    #expect(settings(kCFProxyTypeHTTPS).http == nil && settings(kCFProxyTypeHTTPS).https == http)
    #expect(settings(kCFProxyTypeFTP).ftp == http && settings(kCFProxyTypeFTP).http == nil)
    #expect(settings(kCFProxyTypeSOCKS).socks == ProxyServer(kind: .socks5h, host: "h", port: 7))
    #expect(settings(kCFProxyTypeNone) == ProxySettings())
  }

  @Test func aProxyOverTLS() {
    let settings = Self.settings([
      kCFNetworkProxiesHTTPProxy: "https://h", kCFNetworkProxiesHTTPSProxy: "https://h:8443",
      kCFNetworkProxiesFTPProxy: "gopher://h", kCFNetworkProxiesSOCKSProxy: "https://h",
    ])
    #expect(settings.http == ProxyServer(kind: .https, host: "h", port: 443))
    #expect(settings.https == ProxyServer(kind: .https, host: "h", port: 8443))
    #expect(settings.ftp == nil && settings.socks == nil)
  }

  @Test func keysWithoutEffect() {
    let settings = Self.settings([
      kCFNetworkProxiesFTPPassive: 0, kCFNetworkProxiesGopherEnable: 1, kCFNetworkProxiesGopherProxy: "g",
      kCFNetworkProxiesRTSPEnable: 1, kCFNetworkProxiesRTSPProxy: "r", kCFNetworkProxiesProxyAutoDiscoveryEnable: 1,
    ])
    #expect(settings == ProxySettings())
  }
}
