import Foundation
import Testing
import URLLoadingTestServers

/// What `-v` shows of a load over TLS.
@Suite(.timeLimit(.minutes(2))) struct SecureConversationTests {
  private static func lines(_ listener: NginxServer.Listener) async throws -> [String] {
    let authority = try await TestCertificates.shared.authority.path
    let url = try await NginxServer.shared.url(on: listener).absoluteString
    let outcome = try await Urlload.run(["-v", "--cacert", authority, url])
    #expect(outcome.status == .exited(0) && outcome.output == DocumentRoot.small, "\(outcome.error)")
    return outcome.error.split(separator: "\n").map { String($0) }
  }

  /// Finds the lines that begin so, in this order.
  private static func expect(_ told: [String], in lines: [String]) throws {
    var rest = lines[...]
    for text in told {
      let index = try #require(rest.firstIndex { $0.hasPrefix(text) }, "\(text) is not in its place: \(lines)")
      rest = rest[(index + 1)...]
    }
  }

  /// nginx has TLS 1.3 without being told to since 1.23.4.
  @Test func theServersCertificateAndTheVersion() async throws {
    let lines = try await Self.lines(.httpsHTTP1)
    try Self.expect(
      ["* certificate: CN=server", "* issued by: CN=Test authority", "* valid until: ", "* trusted"], in: lines)
    try Self.expect(
      [
        "* connected to 127.0.0.1 port ", "* TLS 1.", "> GET /small.txt HTTP/1.1",
        "> Host: 127.0.0.1:", "< HTTP/1.1 200 OK", "< Server: nginx", "< Content-Length: 1024",
        "* peer: http/1.1, 127.0.0.1 port ",
      ], in: lines)
    #expect(lines.contains { $0.hasPrefix("* time since the start: ") && $0.contains(", TLS ") }, "\(lines)")
  }

  /// nginx has an order of fields of its own, which is no order of the alphabet.
  @Test func theFieldsOfHTTP2AreInTheServersOrder() async throws {
    let lines = try await Self.lines(.https)
    try Self.expect(
      [
        "* connected to 127.0.0.1 port ", "* TLS 1.", "> GET /small.txt HTTP/2", "< HTTP/2 200",
        "< server: nginx", "< date: ", "< content-type: text/plain", "< content-length: 1024", "< last-modified: ",
        "< etag: ", "< accept-ranges: bytes", "* peer: h2, 127.0.0.1 port ",
      ], in: lines)
  }
}
