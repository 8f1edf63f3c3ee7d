import Foundation
import Testing
import URLLoadingTestServers

@Suite struct CaddyServerTests {
  @Test func servesWithHTTP2AndOffersHTTP3() async throws {
    let server = try await CaddyServer.shared
    let outcome = try await Curl.trusting(["-i", server.url().absoluteString])
    #expect(outcome.text.hasPrefix("HTTP/2 200"))
    #expect(outcome.text.contains("alt-svc: h3=\":\(server.securePort)\""))
    let plain = try await Curl.run([server.url("/small.txt", secure: false).absoluteString])
    #expect(plain.output == DocumentRoot.small)
    let port = String(server.securePort, radix: 16, uppercase: true)
    let sockets = try String(contentsOfFile: "/proc/net/udp", encoding: .utf8)
    #expect(sockets.contains("0100007F:\(port) "))
  }

  @Test func compressesWithZstandard() async throws {
    let url = try await CaddyServer.shared.url("/small.txt").absoluteString
    let outcome = try await Curl.trusting(["-i", "-H", "Accept-Encoding: zstd", url])
    #expect(String(decoding: outcome.output, as: UTF8.self).contains("content-encoding: zstd"))
  }
}
