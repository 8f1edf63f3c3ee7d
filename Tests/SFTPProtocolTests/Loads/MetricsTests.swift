import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

@testable import SFTPProtocol

/// What metrics tell of loads from sshd.
@Suite struct SFTPMetricsTests {
  @Test func phasesFollowEachOther() async throws {
    let server = try await SSHServer.start()
    try Data("12345".utf8).write(to: server.home.appendingPathComponent("f"))
    let home = try await SSHHome.friendly(
      to: server, knownHosts: server.knownHosts.replacing("127.0.0.1", with: "localhost"))
    var components = try #require(URLComponents(url: server.url("/~/f"), resolvingAgainstBaseURL: true))
    components.host = "localhost"
    let url = try #require(components.url)
    let recorder = SFTPMetricsRecorder()
    _ = try await home.session.data(from: url, delegate: recorder)
    let metrics = try #require(recorder.last.value)
    let dates = [
      metrics.fetchStartDate, metrics.domainLookupStartDate, metrics.domainLookupEndDate, metrics.connectStartDate,
      metrics.secureConnectionStartDate, metrics.secureConnectionEndDate, metrics.connectEndDate,
      metrics.requestStartDate, metrics.responseStartDate, metrics.responseEndDate,
    ]
    let known = dates.compactMap { $0 }
    #expect(known.count == dates.count, "\(dates)")
    #expect(known == known.sorted())
    // Between the keys' exchange and the connection's end there is the login.
    #expect(metrics.secureConnectionEndDate != metrics.connectEndDate)
    #expect(metrics.remoteAddress == "127.0.0.1" && metrics.remotePort == "\(server.port)")
    #expect(metrics.localAddress == "127.0.0.1")
    let port = try #require(metrics.localPort)
    #expect(server.log.contains("from 127.0.0.1 port \(port)"))
    let names = try #require(metrics.networkProtocolName).split(separator: "/")
    // The first of libssh2's that sshd has: of 1.10, of 1.11.1, and of one without ChaCha20.
    let ciphers = ["aes128-ctr", "aes256-gcm@openssh.com", "aes128-gcm@openssh.com", "chacha20-poly1305@openssh.com"]
    let cipher = try #require(ciphers.first { name in names.contains { $0 == name } }, "\(names)")
    #expect(
      names.count == (cipher.hasSuffix("-ctr") ? 4 : 3) && names.first == "sftp",
      "only counter mode needs a MAC: \(names)")
    #expect(metrics.countOfResponseBodyBytesReceived == 5)

    var request = URLRequest(url: url)
    request.httpMethod = "PUT"
    _ = try await home.session.upload(for: request, from: Data("123".utf8), delegate: recorder)
    let second = try #require(recorder.last.value)
    #expect(second.isReusedConnection && second.countOfRequestBodyBytesSent == 3)
    #expect(second.domainLookupStartDate == nil && second.connectStartDate == nil)
    #expect(second.secureConnectionEndDate == nil && second.connectEndDate == nil)
    #expect(second.localPort == port)
    await server.stop()
  }
}

private final class SFTPMetricsRecorder: NSObject, URLSessionTaskDelegate {
  let last = Watched<URLSessionTaskTransactionMetrics?>(nil)

  func urlSession(_ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics) {
    last.update { $0 = metrics.transactionMetrics.last }
  }
}
