import Foundation
import Testing
import URLLoadingCurlTransport
import URLLoadingTestServers

/// Proxies, with squid and microsocks.
@Suite struct RealProxyTests {
  private func engine(_ proxy: ProxyServer, socks: Bool = false) async throws -> TransferEngine {
    var configuration = TransferEngineConfiguration()
    var settings = ProxySettings()
    if socks {
      settings.socks = proxy
    } else {
      (settings.http, settings.https) = (proxy, proxy)
    }
    configuration.proxy = .settings(settings)
    configuration.tls.caFile = try await TestCertificates.shared.authority.path
    return TransferEngine(configuration: configuration)
  }

  @Test func squid() async throws {
    let nginx = try await NginxServer.shared
    let proxy = try await SquidServer.shared
    let engine = try await engine(ProxyServer(host: "127.0.0.1", port: Int(proxy.port)))
    let plain = try await engine.get(nginx.url().absoluteString)
    #expect(plain.body == [UInt8](DocumentRoot.small))
    #expect(await proxy.waitForRequest(":\(nginx.port())/small.txt"))
    let secure = try await engine.get(nginx.url(on: .https).absoluteString)
    #expect(secure.body == [UInt8](DocumentRoot.small))
    #expect(secure.metrics?.networkProtocol == "h2")
    #expect(secure.head?.firstValue(of: "server")?.hasPrefix("nginx") == true)
    // A tunnel is logged when it is closed.
    engine.shutdown()
    #expect(await proxy.waitForRequest("CONNECT 127.0.0.1:\(nginx.port(.https))"))
  }

  @Test func squidWithAPassword() async throws {
    let nginx = try await NginxServer.shared
    let proxy = try await SquidServer.authenticating
    let anonymous = try await engine(ProxyServer(host: "127.0.0.1", port: Int(proxy.port)))
    #expect(try await anonymous.get(nginx.url().absoluteString).head?.statusCode == 407)
    let refused = try #require(try await anonymous.get(nginx.url(on: .https).absoluteString).failure)
    #expect(refused.proxyResponse?.statusCode == 407)
    #expect(refused.proxyResponse?.firstValue(of: "Proxy-Authenticate")?.hasPrefix("Basic") == true)
    let known = try await engine(
      ProxyServer(
        host: "127.0.0.1", port: Int(proxy.port), user: SquidServer.user, password: SquidServer.password))
    for listener in [NginxServer.Listener.http, .https] {
      #expect(try await known.get(nginx.url(on: listener).absoluteString).body == [UInt8](DocumentRoot.small))
    }
    var request = TransferRequest(url: nginx.url(on: .https).absoluteString)
    request.proxyCredential = TransferCredential(
      user: SquidServer.user, password: SquidServer.password, schemes: [.basic, .digest])
    #expect(try await anonymous.run(request).body == [UInt8](DocumentRoot.small))
  }

  @Test func socks() async throws {
    let nginx = try await NginxServer.shared
    let proxy = try await SOCKSServer.shared
    let engine = try await engine(
      ProxyServer(kind: .socks5h, host: "127.0.0.1", port: Int(proxy.port)), socks: true)
    #expect(try await engine.get(nginx.url().absoluteString).body == [UInt8](DocumentRoot.small))
    #expect(await proxy.waitForConnection(to: nginx.port()))
    let ftp = try await FTPServer.shared
    let state = try await engine.run(TransferRequest(url: ftp.url().absoluteString, kind: .ftp))
    #expect(state.body == [UInt8](DocumentRoot.small))
    #expect(await proxy.waitForConnection(to: ftp.port))
  }
}
