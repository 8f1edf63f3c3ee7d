import Testing
import URLLoadingTestServers

@testable import URLLoadingCurlTransport

/// What proxies are to blame for, and what is known of their logins.
@Suite(.timeLimit(.minutes(4))) struct ProxyFaultTests {
  private func fault(_ code: Int, socks: Int = 0, isConnected: Bool = false, isUnanswered: Bool = false) -> ProxyFault?
  {
    TransferFailure(
      curlCode: code, words: "",
      context: CurlErrorContext(isConnected: isConnected, isUnanswered: isUnanswered, socksCode: socks)
    ).proxyFault
  }

  @Test func table() {
    for code in [5, 6, 7] {
      #expect(fault(code) == .unreachable)
      #expect(fault(code, isConnected: true) == nil)
    }
    for code in [1, 28, 35, 52, 56, 60, 67] { #expect(fault(code) == nil) }
    #expect(fault(28, isUnanswered: true) == .unreachable)
    #expect(fault(97, socks: 12) == .login && fault(97, socks: 33) == .login)
    for refused in 17...27 { #expect(fault(97, socks: refused) == nil) }
    for broken in [0, 2, 3, 13, 14, 15, 31] { #expect(fault(97, socks: broken) == .unreachable) }
  }

  @Test func refusedLoginsHaveTheirOwnError() {
    let context = CurlErrorContext(socksCode: 33)
    #expect(CurlErrorTable.urlErrorCode(forCurlCode: 97, message: "", context: context) == .userAuthenticationRequired)
  }

  @Test func loginsAreKnownByProxy() {
    let logins = ProxyLogins()
    let proxy = ProxyServer(kind: .socks5h, host: "s", port: 1)
    let login = TransferCredential(user: "u", password: "p", schemes: .basic)
    logins.remember(login, for: proxy)
    #expect(logins.completed(proxy)?.user == "u" && logins.completed(proxy)?.password == "p")
    #expect(logins.completed(ProxyServer(kind: .socks5h, host: "s", port: 2))?.user == nil)
    #expect(logins.completed(nil) == nil)
    let own = ProxyServer(kind: .socks5h, host: "s", port: 1, user: "own")
    #expect(logins.completed(own)?.user == "own")
    logins.forget(proxy)
    #expect(logins.completed(proxy)?.user == nil)
    logins.remember(login, for: ProxyServer(kind: .http, host: "s", port: 1))
    #expect(logins.completed(ProxyServer(kind: .http, host: "s", port: 1))?.user == nil)
  }

  @Test func aChoiceGoesBeforeTheConfiguration() async throws {
    let nginx = try await NginxServer.shared
    let squid = try await SquidServer.shared
    var settings = ProxySettings()
    settings.http = ProxyServer(host: "127.0.0.1", port: Int(try FreePort.pick()))
    var configuration = TransferEngineConfiguration()
    configuration.proxy = .settings(settings)
    let engine = TransferEngine(configuration: configuration)
    var request = TransferRequest(url: nginx.url("/small.txt?chosen").absoluteString)
    #expect(try await engine.run(request).failure?.proxyFault == .unreachable)
    request.proxy = .direct
    #expect(try await engine.run(request).body == [UInt8](DocumentRoot.small))
    request.proxy = .through(ProxyServer(host: "127.0.0.1", port: Int(squid.port)))
    #expect(try await engine.run(request).body == [UInt8](DocumentRoot.small))
    #expect(await squid.waitForRequest("GET \(request.url) 200"))
  }

  /// libcurl compares user and password before it uses a connection through SOCKS again.
  @Test func eachLoginOfASOCKSProxyHasItsOwnConnections() async throws {
    let nginx = try await NginxServer.shared
    let socks = try await SOCKSServer.start(authenticates: true)
    let engine = TransferEngine(configuration: TransferEngineConfiguration())
    var request = TransferRequest(url: nginx.url().absoluteString)
    func proxy(_ password: String?) -> ProxyServer {
      ProxyServer(
        kind: .socks5h, host: "127.0.0.1", port: Int(socks.port), user: password.map { _ in SOCKSServer.user },
        password: password)
    }
    for _ in 0..<3 {
      request.proxy = .through(proxy(SOCKSServer.password))
      #expect(try await engine.run(request).body == [UInt8](DocumentRoot.small))
      request.proxy = .through(proxy("wrong"))
      #expect(try await engine.run(request).failure?.proxyFault == .login)
      request.proxy = .through(proxy(nil))
      #expect(try await engine.run(request).failure?.proxyFault == .login)
    }
    #expect(socks.connections.count == 1, "\(socks.connections)")
    await socks.stop()
  }
}
