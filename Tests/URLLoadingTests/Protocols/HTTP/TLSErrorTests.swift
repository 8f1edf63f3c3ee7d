import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// Connections that TLS refuses.
@Suite(.timeLimit(.minutes(4))) struct TLSErrorTests {
  private static func trusting(_ change: (URLSessionConfiguration) -> Void = { _ in }) async throws -> RecordedSession {
    let authority = try await TestCertificates.shared.authority
    return RecordedSession {
      $0.certificateAuthorityFile = authority
      change($0)
    }
  }

  private static let refusals: [(NginxServer.Listener, URLError.Code)] = [
    (.httpsExpired, .serverCertificateHasBadDate), (.httpsWrongHost, .serverCertificateUntrusted),
    (.httpsSelfSigned, .serverCertificateUntrusted),
  ]

  @Test(arguments: 0..<3, LoadKind.allCases)
  func aBadCertificateHasItsOwnError(_ index: Int, _ kind: LoadKind) async throws {
    let (listener, code) = Self.refusals[index]
    let nginx = try await NginxServer.shared
    let client = try await Self.trusting()
    let url = nginx.url(on: listener)
    let record = await client.load(url, as: kind)
    #expect(record.code == code && record.completions == 1, "\(String(describing: record.error))")
    #expect((record.error as? URLError)?.failingURL == url)
    let underlying = (record.error as? URLError)?.userInfo[NSUnderlyingErrorKey] as? NSError
    #expect(underlying?.domain == "libcurl" && underlying?.localizedDescription.isEmpty == false)
    #expect(await client.load(nginx.url(on: .https), as: kind).body == DocumentRoot.small)
  }

  @Test func anAuthorityThatIsNotTrustedIsNoneToTrust() async throws {
    let record = await RecordedSession().load(try await NginxServer.shared.url(on: .https))
    #expect(record.code == .serverCertificateUntrusted)
  }

  @Test(arguments: LoadKind.allCases)
  func aServerThatSpeaksNoTLSIsASecureConnectionFailure(_ kind: LoadKind) async throws {
    let server = try ScriptedServer { connection in
      try connection.send("HTTP/1.1 400 Bad Request\r\n\r\n")
      _ = connection.waitForPeerClose()
    }
    let record = await RecordedSession().load(server.url("/", scheme: "https"), as: kind)
    #expect(record.code == .secureConnectionFailed && record.completions == 1)
  }

  @Test(arguments: [true, false])
  func aServerThatClosesInTheHandshakeFails(_ resets: Bool) async throws {
    let server = try ScriptedServer { connection in
      _ = try connection.readBody(count: 50)
      if resets { connection.reset() }
    }
    let record = await RecordedSession().load(server.url("/", scheme: "https"))
    #expect(
      [.secureConnectionFailed, .networkConnectionLost].contains(record.code), "\(String(describing: record.error))")
  }

  @Test func aServerThatIsSilentInTheHandshakeTimesOut() async throws {
    let server = try ScriptedServer { _ = $0.waitForPeerClose() }
    let request = URLRequest(url: server.url("/", scheme: "https"), timeoutInterval: 0.4)
    #expect(await RecordedSession().load(request).code == .timedOut)
  }

  @Test func aServerWithOnlyOldTLSIsRefused() async throws {
    let client = try await Self.trusting { $0.tlsMinimumSupportedProtocolVersion = .TLSv13 }
    let old = try await NginxServer.start(directives: "ssl_protocols TLSv1.2;")
    #expect(await client.load(old.url(on: .https)).code == .secureConnectionFailed)
    await old.stop()
    let new = try await NginxServer.start(directives: "ssl_protocols TLSv1.3;")
    #expect(await client.load(new.url(on: .https)).body == DocumentRoot.small)
    await new.stop()
  }

  /// A server that has newer versions is spoken to by the newest that is allowed; one that has no others is refused.
  @Test func noNewerTLSThanTheMaximumIsSpoken() async throws {
    let nginx = try await NginxServer.start(directives: "ssl_protocols TLSv1.2 TLSv1.3;")
    let new = try await NginxServer.start(directives: "ssl_protocols TLSv1.3;")
    for maximum in [tls_protocol_version_t.TLSv12, .TLSv13] {
      let client = try await Self.trusting { $0.tlsMaximumSupportedProtocolVersion = maximum }
      let record = await client.load(nginx.url(on: .https))
      #expect(record.body == DocumentRoot.small)
      #expect(record.metrics?.transactionMetrics.last?.negotiatedTLSProtocolVersion == maximum)
      #expect(await client.load(new.url(on: .https)).code == (maximum == .TLSv12 ? .secureConnectionFailed : nil))
    }
    await nginx.stop()
    await new.stop()
  }

  @Test func aMissingClientCertificateDoesNotHang() async throws {
    // nginx completes the handshake and answers 400.
    let nginx = try await NginxServer.shared
    let record = await (try await Self.trusting()).load(nginx.url(on: .httpsClientCertificate))
    #expect(record.status == 400 || record.code == .clientCertificateRequired)
  }

  /// With TLS 1.3 the alert comes after the handshake. Where it meets the sending of the request, most versions of libcurl do not read it, and
  /// tell the broken connection alone; 8.23 may read it.
  @Test(arguments: ["h1", "h2"], [0, 1000, 5_000_000])
  func aCertificateThatAServerDemandsIsNamed(httpVersion: String, bodyLength: Int) async throws {
    for version in ["tls1.2", "tls1.3"] {
      let caddy = try await CaddyServer.start(
        tls: """
          protocols \(version) \(version)
          client_auth {
            mode require
          }
          alpn \(httpVersion == "h2" ? "h2" : "http/1.1")
          """)
      for _ in 0..<10 {
        let client = try await Self.trusting()
        var request = URLRequest(url: caddy.url())
        request.httpMethod = bodyLength == 0 ? "GET" : "POST"
        if bodyLength > 0 { request.httpBody = Data(count: bodyLength) }
        let record = await client.load(request)
        let underlying = (record.error as? URLError)?.userInfo[NSUnderlyingErrorKey] as? NSError
        let mayBeUnread = version == "tls1.3" && underlying?.code == 55
        #expect(
          record.code == .clientCertificateRequired || mayBeUnread && record.code == .networkConnectionLost,
          "\(version): \(String(describing: record.error))")
      }
      await caddy.stop()
    }
  }

  @Test func aMissingAuthorityFileIsAnError() async throws {
    let nginx = try await NginxServer.shared
    let client = RecordedSession { $0.certificateAuthorityFile = URL(fileURLWithPath: "/nonexistent/ca.pem") }
    let record = await client.load(nginx.url(on: .https))
    #expect(record.code == .secureConnectionFailed && record.completions == 1)
  }

  @Test func aHostThatDoesNotExistIsNotFound() async throws {
    let url = try #require(URL(string: "http://does-not-exist.invalid/x"))
    let record = await RecordedSession().load(url)
    #expect(record.code == .cannotFindHost || record.code == .dnsLookupFailed)
    #expect(record.error?.localizedDescription.contains("does-not-exist.invalid") == true)
  }
}
