import Foundation
import Testing
import URLLoadingTestServers

@Suite struct ProxyTests {
  @Test func squidForwardsAndTunnels() async throws {
    let proxy = try await SquidServer.shared
    let server = try await NginxServer.shared
    let plain = server.url("/small.txt?squid")
    #expect(try await Curl.run(["-x", proxy.url.absoluteString, plain.absoluteString]).output == DocumentRoot.small)
    #expect(await proxy.waitForRequest("GET \(plain.absoluteString) 200"))
    let secure = try await Curl.trusting(["-x", proxy.url.absoluteString, server.url(on: .https).absoluteString])
    #expect(secure.output == DocumentRoot.small)
    #expect(await proxy.waitForRequest("CONNECT 127.0.0.1:\(server.port(.https)) 200"))
  }

  @Test func squidAuthenticates() async throws {
    let proxy = try await SquidServer.authenticating
    let url = try await NginxServer.shared.url().absoluteString
    let arguments = ["-x", proxy.url.absoluteString, "-o", "/dev/null", "-w", "%{response_code}", url]
    #expect(try await Curl.run(arguments).text == "407")
    let login = ["-U", "\(SquidServer.user):\(SquidServer.password)"]
    #expect(try await Curl.run(login + arguments).text == "200")
    #expect(await proxy.waitForRequest("200 \(SquidServer.user)"))
  }

  @Test func microsocksForwards() async throws {
    let server = try await NginxServer.shared
    let proxy = try await SOCKSServer.shared
    let arguments = ["--socks5", "127.0.0.1:\(proxy.port)", server.url().absoluteString]
    #expect(try await Curl.run(arguments).output == DocumentRoot.small)
    #expect(await proxy.waitForConnection(to: server.port()))
  }

  @Test func microsocksAuthenticates() async throws {
    let proxy = try await SOCKSServer.start(authenticates: true)
    let url = try await NginxServer.shared.url().absoluteString
    let address = "127.0.0.1:\(proxy.port)"
    #expect(try await Curl.run(["--socks5", address, url]).status == .exited(97))
    let login = ["--proxy-user", "\(SOCKSServer.user):\(SOCKSServer.password)"]
    #expect(try await Curl.run(login + ["--socks5", address, url]).output == DocumentRoot.small)
    await proxy.stop()
  }
}
