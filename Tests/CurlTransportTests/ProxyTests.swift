import Foundation
import Testing

@testable import URLLoadingCurlTransport

/// Proxies: which one, and how it is spoken to.
@Suite struct ProxyTests {
  private func selector(_ variables: [String: String]) -> ProxySelector {
    ProxySelector(.environment) { variables[$0] }
  }

  @Test func theEnvironment() {
    let proxies = selector([
      "http_proxy": "http://one:81", "HTTPS_PROXY": "two:82", "all_proxy": "socks5h://u:p%40@[::1]:83/",
      "no_proxy": "localhost, .example.org,10.0.0.0/8 ,[::1],exact.test:8080",
    ])
    #expect(proxies.proxy(for: "http://a.test/") == ProxyServer(host: "one", port: 81))
    #expect(proxies.proxy(for: "HTTP://user@a.test:99?x") == ProxyServer(host: "one", port: 81))
    #expect(proxies.proxy(for: "https://a.test/") == ProxyServer(host: "two", port: 82))
    #expect(
      proxies.proxy(for: "ftp://a.test/")
        == ProxyServer(kind: .socks5h, host: "::1", port: 83, user: "u", password: "p@"))
    #expect(proxies.proxy(for: "ftp://a.test/")?.url == "socks5h://[::1]:83")
    for direct in [
      "localhost", "LOCALHOST", "example.org", "a.b.example.org", "10.9.8.7", "[::1]:80", "exact.test.:8080",
    ] {
      #expect(proxies.proxy(for: "http://\(direct)/") == nil, "\(direct)")
    }
    for proxied in [
      "notexample.org", "11.0.0.1", "example.org.evil.test", "10.0.0.1.test", "[::2]", "localhost.test", "exact.test",
    ] {
      #expect(proxies.proxy(for: "http://\(proxied)/") != nil, "\(proxied)")
    }
  }

  @Test func exceptionsWithAPort() {
    let proxies = selector([
      "all_proxy": "x:1",
      "no_proxy": "a.test:80,b.test:443,127.0.0.1:8080,[::1]:8443,*.c.test:81,*:9,d.test:x,::2,e.test:",
    ])
    for direct in [
      "http://a.test/", "http://a.test:80", "http://sub.a.test/", "https://a.test:80/", "https://b.test/",
      "http://u:p@127.0.0.1:8080/", "https://[::1]:8443/", "http://x.c.test:81/", "http://any:9/", "http://[::2]:5/",
      "http://e.test:7/",
    ] {
      #expect(proxies.proxy(for: direct) == nil, "\(direct)")
      #expect(proxies.isExcepted(direct), "\(direct)")
    }
    for proxied in [
      "https://a.test/", "http://a.test:8080/", "http://b.test/", "http://127.0.0.1/", "http://[::1]/",
      "http://x.c.test/", "http://any:90/", "http://d.test/",
    ] {
      #expect(proxies.proxy(for: proxied) != nil, "\(proxied)")
    }
  }

  /// What a user wants to go by a proxy never goes past it.
  @Test(arguments: ["foo bar", "not a url://x", "gopher://h:1", "http://h:99999", "http://[::1", "h:1:2", " ", "://"])
  func aMalformedVariableIsAnError(text: String) async throws {
    let proxies = selector(["http_proxy": text, "https_proxy": "x:1", "no_proxy": "excepted.test"])
    #expect(proxies.proxy(for: "http://a.test/")?.malformedVariable == "http_proxy")
    #expect(proxies.proxy(for: "http://excepted.test/") == nil)
    #expect(proxies.proxy(for: "https://a.test/")?.malformedVariable == nil)
    #expect(proxies.proxy(for: "ftp://a.test/") == nil)
    #expect(selector(["ALL_PROXY": text]).proxy(for: "ftp://a.test/")?.malformedVariable == "ALL_PROXY")
    #expect(selector(["all_proxy": text, "http_proxy": "x:1"]).proxy(for: "http://a.test/")?.host == "x")
    var settings = ProxySettings()
    settings.http = ProxyServer(malformedVariable: "http_proxy")
    let server = try ScriptServer { connection, _ in connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n") }
    let state = try await makeEngine(proxy: .settings(settings)).get("http://127.0.0.1:\(server.port)/")
    let failure = try #require(state.failure)
    #expect(failure.urlErrorCode == .badURL && failure.message.contains("http_proxy names no proxy"), "\(failure)")
  }

  @Test func theUpperCaseVariableForHTTPIsIgnored() {
    #expect(selector(["HTTP_PROXY": "evil:1"]).proxy(for: "http://a.test/") == nil)
    #expect(selector(["https_proxy": "x:1", "HTTPS_PROXY": "y:1"]).proxy(for: "https://a.test/")?.host == "x")
    #expect(selector(["http_proxy": ""]).proxy(for: "http://a.test/") == nil)
    #expect(selector(["all_proxy": "x:1", "no_proxy": "*"]).proxy(for: "http://a.test/") == nil)
    #expect(selector([:]).proxy(for: "http://a.test/") == nil)
  }

  @Test(arguments: [
    "", "://", "http://", "http://:80", "http://h:0", "http://h:99999", "http://h:x", "gopher://h", "http://[::1",
    "h:1:2",
  ])
  func nonsenseIsNoProxy(text: String) {
    #expect(ProxyServer(parsing: text) == nil)
  }

  @Test func settingsAndTheirExceptions() {
    var settings = ProxySettings()
    settings.http = ProxyServer(host: "h", port: 1)
    settings.socks = ProxyServer(kind: .socks5h, host: "s", port: 2)
    settings.exceptions = ["*.local", "169.254/16", "sub.*.test", "fe80::/10", "bad/99", ""]
    settings.excludesSimpleHostnames = true
    let proxies = ProxySelector(.settings(settings)) { _ in "ignored:1" }
    #expect(proxies.proxy(for: "http://a.test/")?.host == "h")
    #expect(proxies.proxy(for: "https://a.test/")?.host == "s")
    for direct in ["printer.local", "169.254.3.4", "sub.x.test", "[fe80::1]", "intranet"] {
      #expect(proxies.proxy(for: "http://\(direct)/") == nil, "\(direct)")
    }
    for proxied in ["local.test", "169.255.0.1", "sub.test", "[2001:db8::1]", "127.0.0.1"] {
      #expect(proxies.proxy(for: "http://\(proxied)/") != nil, "\(proxied)")
    }
    #expect(ProxySelector(.direct) { _ in "ignored:1" }.proxy(for: "http://a.test/") == nil)
    #expect(proxies.proxy(for: "no url") == nil)
  }

  private func engine(through server: ScriptServer, user: String? = nil) -> TransferEngine {
    var settings = ProxySettings()
    settings.http = ProxyServer(host: "127.0.0.1", port: server.port, user: user, password: user.map { _ in "secret" })
    settings.https = settings.http
    return makeEngine(proxy: .settings(settings))
  }

  @Test func httpThroughAProxy() async throws {
    let seen = Signal<String>()
    let proxy = try ScriptServer { connection, _ in
      guard let head = connection.readHead() else { return }
      seen.send(head)
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nproxy")
    }
    let state = try await engine(through: proxy, user: "me").get("http://nowhere.invalid/path")
    #expect(state.body == Array("proxy".utf8))
    #expect(state.metrics?.isProxyConnection == true)
    let head = try #require(await seen.wait())
    #expect(head.hasPrefix("GET http://nowhere.invalid/path HTTP/1.1\r\n"))
    #expect(head.contains("Proxy-Authorization: Basic \(Data("me:secret".utf8).base64EncodedString())"))
  }

  @Test(arguments: [407, 403, 502])
  func aRefusedTunnel(status: Int) async throws {
    let proxy = try ScriptServer { connection, _ in
      guard let head = connection.readHead(), head.hasPrefix("CONNECT secret.invalid:443 ") else { return }
      connection.send(
        "HTTP/1.1 \(status) No\r\nProxy-Authenticate: Basic realm=\"p\"\r\nContent-Length: 4\r\n\r\nsure")
    }
    let state = try await engine(through: proxy).get("https://secret.invalid/")
    let failure = try #require(state.failure)
    #expect(state.head == nil)
    #expect(state.body.isEmpty)
    #expect(failure.proxyResponse?.statusCode == status)
    #expect(failure.proxyResponse?.firstValue(of: "proxy-authenticate") == "Basic realm=\"p\"")
    #expect(failure.urlErrorCode.rawValue == (status == 407 ? -1013 : -1004), "\(failure)")
  }

  @Test func aTunnelsHeadIsNotTheResponse() async throws {
    let proxy = try ScriptServer { connection, _ in
      guard connection.readHead() != nil else { return }
      connection.send("HTTP/1.1 200 Connection established\r\nX-Proxy: yes\r\n\r\n")
      // A TLS hello comes; this is no answer to it.
      _ = connection.read(5)
      connection.send("not TLS at all")
    }
    let state = try await engine(through: proxy).get("https://secret.invalid/")
    #expect(state.events == ["queue", "complete"])
    #expect(state.failure?.urlErrorCode.rawValue == -1200, "\(state)")
  }

  /// SOCKS 5 (RFC 1928) with the host's name resolved by the proxy.
  @Test func socks() async throws {
    let seen = Signal<[UInt8]>()
    let proxy = try ScriptServer { connection, _ in
      let greeting = connection.read(2)
      guard greeting.count == 2 else { return }
      _ = connection.read(Int(greeting[1]))
      connection.send([5, 0])
      let request = connection.read(5)
      guard request.count == 5, request[3] == 3 else { return }
      let name = connection.read(Int(request[4]))
      _ = connection.read(2)
      connection.send([5, 0, 0, 1, 127, 0, 0, 1, 0, 80])
      guard connection.readHead() != nil else { return }
      seen.send(name)
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nsocks")
    }
    var settings = ProxySettings()
    settings.socks = ProxyServer(kind: .socks5h, host: "127.0.0.1", port: proxy.port)
    let state = try await makeEngine(proxy: .settings(settings)).get("http://nowhere.invalid/")
    #expect(state.body == Array("socks".utf8))
    #expect(await seen.wait() == Array("nowhere.invalid".utf8))
  }

  @Test func aProxyThatIsNotThere() async throws {
    let proxy = try ScriptServer.answering("")
    proxy.stop()
    let failure = try #require(try await engine(through: proxy).get("http://nowhere.invalid/").failure)
    #expect(failure.urlErrorCode.rawValue == -1004)
  }
}
