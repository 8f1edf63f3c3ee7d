import Foundation
import Testing
import URLLoadingCurlTransport

@testable import URLLoading

@Suite struct ProxySettingsTests {
  @Test func nothing() {
    let settings = ProxySettings([:])
    #expect(settings == ProxySettings())
  }

  @Test func everyScheme() {
    let settings = ProxySettings([
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
      #expect(ProxySettings(["HTTPEnable": off, "HTTPProxy": "web"]).http == nil)
    }
    for on in [1 as Any, true, NSNumber(value: 1), NSNumber(value: true)] {
      #expect(ProxySettings(["HTTPEnable": on, "HTTPProxy": "web"]).http?.host == "web")
    }
    #expect(ProxySettings(["HTTPEnable": 1, "HTTPPort": 80]).http == nil)
    #expect(ProxySettings(["HTTPProxy": ""]).http == nil)
    #expect(ProxySettings(["HTTPProxy": 5]).http == nil)
  }

  @Test(arguments: [4 as any Sendable, NSNumber(value: 4).intValue, "4", "kCFStreamSocketSOCKSVersion4"])
  func socksVersion4(version: any Sendable) {
    #expect(ProxySettings(["SOCKSProxy": "s", "SOCKSVersion": version]).socks?.kind == .socks4a)
  }

  @Test func sharedCredentials() {
    let settings = ProxySettings(["HTTPSProxy": "s", "kCFProxyUsernameKey": "u", "kCFProxyPasswordKey": "p"])
    #expect(settings.https?.user == "u")
    #expect(settings.https?.password == "p")
  }
}
