import Foundation
import Testing
import URLLoadingBase
import URLLoadingCurlTransport

@testable import URLLoading

/// What a session's loads take from a process that is not theirs.
@Suite struct LoadEnvironmentTests {
  private func environment(_ variables: [String: String]) -> LoadEnvironment {
    LoadEnvironment(variables: variables, userAgent: "worker x/1", acceptLanguage: "de", home: "/home/w")
  }

  @Test func aBackgroundSessionTakesThatOfItsProcess() throws {
    let configuration = URLSessionConfiguration.background(withIdentifier: "environment")
    let settings = try #require(configuration.snapshot.background)
    let environment = BackgroundSessionDescription(settings, configuration).environment
    #expect(environment == .current)
    #expect(environment?.userAgent == UserAgent.ofProcess && environment?.home == NSHomeDirectory())
  }

  @Test func theEngineGoesByIt() {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.loadEnvironment = environment([
      "http_proxy": "http://p:1", "no_proxy": "b.test", "SSL_CERT_FILE": "/ca.pem",
    ])
    let engine = TransferEngineConfiguration(configuration)
    let selector = ProxySelector(engine.proxy)
    #expect(selector.proxy(for: "http://a.test/")?.host == "p" && selector.proxy(for: "http://b.test/") == nil)
    #expect(engine.userAgent == "worker x/1" && engine.acceptLanguage == "de")
    #expect(engine.tls.caFile == "/ca.pem" && engine.tls.caDirectory == nil)
    // Whoever names proxies in the configuration has these.
    configuration.connectionProxyDictionary = [:]
    #expect(ProxySelector(TransferEngineConfiguration(configuration).proxy).proxy(for: "http://a.test/") == nil)
  }

  @Test(arguments: [true, false]) func theSystemIsAskedWhereItNamesNoProxy(_ namesOne: Bool) {
    let configuration = URLSessionConfiguration.ephemeral
    // What this process has does not count.
    configuration[ProxyTools.self].environment = { _ in namesOne ? nil : "http://p:1" }
    configuration.loadEnvironment = environment(namesOne ? ["all_proxy": "http://p:1"] : [:])
    #expect((ProxyResolution(configuration) == nil) == namesOne)
  }

  @Test(arguments: [
    ("http://u:p@h:1", "http://u:@h:1"), ("u:p@h", "u:@h"), ("http://u@h:1", "http://u@h:1"), ("h:1", "h:1"),
    ("http://h:1/", "http://h:1/"), ("http://u:p@h:1/", "http://u:@h:1/"),
    ("socks5h://u:a:b@c@h:1/x@y", "socks5h://u:@h:1"), ("http://u:p@h:none", " "), ("http://u:a/b@h", " "),
  ])
  func theDiskGetsNoPassword(_ value: String, _ cleared: String) {
    let variables = environment(["https_proxy": value, "no_proxy": value]).withoutPasswords.variables
    #expect(variables == ["https_proxy": cleared, "no_proxy": value])
  }

  @Test func passwordsAreFilledInForTheSameProxies() {
    let stored = environment(["http_proxy": "http://u:@a:1", "https_proxy": "http://u:@b:1", "no_proxy": "c"])
    let other = environment([
      "http_proxy": "http://u:p@a:1", "https_proxy": "http://u:p@d:1", "all_proxy": "http://u:p@a:1", "no_proxy": "d",
    ])
    let filled = ["http_proxy": "http://u:p@a:1", "https_proxy": "http://u:@b:1", "no_proxy": "c"]
    #expect(stored.filled(from: other).variables == filled)
    #expect(stored.filled(from: nil) == stored)
  }

  @Test func whatCannotBeToldIsNoWayPastAProxy() throws {
    let configuration = URLSessionConfiguration.background(withIdentifier: "untold")
    configuration.connectionProxyDictionary = ["ProxyAutoConfigURLString": try #require(URL(string: "http://a/p.pac"))]
    #expect(BackgroundSessionDescription.unsendableReason(in: configuration) == nil)
    let settings = try #require(configuration.snapshot.background)
    let proxies = BackgroundSessionDescription(settings, configuration).proxies
    #expect(
      proxies.flatMap { BackgroundValues.dictionary($0) }?["ProxyAutoConfigURLString"] as? String == "http://a/p.pac")
    configuration.connectionProxyDictionary = ["HTTPProxy": NSObject()]
    #expect(
      BackgroundSessionDescription.unsendableReason(in: configuration)?.contains("connectionProxyDictionary") == true)
  }
}
