import Foundation
import Testing
import URLLoadingBase
import URLLoadingCurlTransport
import URLLoadingTestServers

/// TLS and HTTP/2, with nginx.
@Suite struct SecureConnectionTests {
  private func engine(
    trusts: Bool = true, connectionsPerHost: Int = 6, _ change: (inout TLSConfiguration) -> Void = { _ in }
  ) async throws -> TransferEngine {
    var configuration = TransferEngineConfiguration()
    configuration.proxy = .direct
    configuration.maximumConnectionsPerHost = connectionsPerHost
    if trusts { configuration.tls.caFile = try await TestCertificates.shared.authority.path }
    change(&configuration.tls)
    return TransferEngine(configuration: configuration)
  }

  @Test func http2ByALPN() async throws {
    let nginx = try await NginxServer.shared
    let engine = try await engine()
    let state = try await engine.get(nginx.url(on: .https).absoluteString)
    #expect(state.body == [UInt8](DocumentRoot.small))
    #expect(state.head?.httpVersion == "HTTP/2")
    let metrics = try #require(state.metrics)
    #expect(metrics.networkProtocol == "h2")
    #expect(metrics.secureConnection ?? 0 > metrics.connect ?? 9)
    #expect(metrics.tlsVersion ?? 0 >= 0x0303)
    #expect(metrics.tlsCipherSuite != nil)
    let plain = try await engine.get(nginx.url(on: .httpsHTTP1).absoluteString)
    #expect(plain.metrics?.networkProtocol == "http/1.1")
    #expect(plain.head?.httpVersion == "HTTP/1.1")
  }

  @Test func theNewestTLS() async throws {
    let caddy = try await CaddyServer.shared
    let state = try await engine().get(caddy.url().absoluteString)
    #expect(state.body == [UInt8](DocumentRoot.small))
    #expect(state.metrics?.tlsVersion == 0x0304)
    #expect(state.metrics?.tlsCipherSuite.map { $0 >> 8 } == 0x13)
  }

  @Test func aHundredAtOnceShareOneConnection() async throws {
    let nginx = try await NginxServer.shared
    let engine = try await engine()
    let recorders = (0..<100).map { _ in Recorder() }
    for recorder in recorders {
      _ = engine.start(TransferRequest(url: nginx.url("/small.txt?one", on: .https).absoluteString), handler: recorder)
    }
    var ports: Set<Int> = []
    for recorder in recorders {
      let state = try await recorder.completion()
      #expect(state.body == [UInt8](DocumentRoot.small))
      ports.insert(state.metrics?.localPort ?? 0)
    }
    #expect(ports.count == 1)
  }

  @Test func uploadsAndPausesOverHTTP2() async throws {
    let nginx = try await NginxServer.shared
    let engine = try await engine()
    let bytes = pattern(3_000_000, seed: 3)
    let url = nginx.url("/upload/h2-\(UInt32.random(in: 0 ... .max)).bin", on: .https).absoluteString
    let put = TransferRequest(
      url: url, method: "PUT", body: .source(TestBodySource(bytes), length: Int64(bytes.count)))
    let uploaded = try await engine.run(put)
    #expect(uploaded.head?.statusCode == 201)
    #expect(uploaded.sent.last == Int64(bytes.count))
    let counter = Locked(0)
    let recorder = Recorder(flow: { transfer, _, _ in
      let count = counter.withLock { count in
        count += 1
        return count
      }
      guard count % 5 == 0 else { return .accepted }
      DispatchQueue.global().async { transfer.resume() }
      return .pause
    })
    let state = try await engine.run(TransferRequest(url: url), recorder: recorder)
    #expect(difference(state.body, from: bytes) == nil)
    #expect(state.pauses > 3)
  }

  /// A paused stream does not hold up the others of its connection.
  @Test func streamsDoNotWaitForEachOther() async throws {
    let nginx = try await NginxServer.shared
    let engine = try await engine()
    let paused = Recorder(keepsBody: false, flow: { _, _, state in state.pauses == 0 ? .pause : .accepted })
    let transfer = engine.start(
      TransferRequest(url: nginx.url("/large.bin", on: .https).absoluteString), handler: paused)
    _ = try await paused.wait { $0.pauses > 0 }
    let other = try await engine.get(nginx.url(on: .https).absoluteString)
    #expect(other.body == [UInt8](DocumentRoot.small))
    transfer.resume()
    #expect(try await paused.completion().metrics?.decodedBodyBytes == Int64(DocumentRoot.largeSize))
  }

  @Test(arguments: [
    (NginxServer.Listener.httpsExpired, -1201), (.httpsWrongHost, -1202), (.httpsSelfSigned, -1202),
  ])
  func badCertificates(listener: NginxServer.Listener, expected: Int) async throws {
    let nginx = try await NginxServer.shared
    let failure = try #require(try await engine().get(nginx.url(on: listener).absoluteString).failure)
    #expect(failure.urlErrorCode.rawValue == expected, "\(failure)")
    #expect(failure.curlCode == 60)
    #expect(!failure.message.isEmpty)
  }

  @Test func anUnknownAuthority() async throws {
    let nginx = try await NginxServer.shared
    let failure = try #require(try await engine(trusts: false).get(nginx.url(on: .https).absoluteString).failure)
    #expect(failure.urlErrorCode.rawValue == -1202, "\(failure)")
  }

  @Test func aFileThatIsNoAuthority() async throws {
    let nginx = try await NginxServer.shared
    let engine = try await engine(trusts: false) { $0.caFile = "/nonexistent/ca.pem" }
    let failure = try #require(try await engine.get(nginx.url(on: .https).absoluteString).failure)
    #expect(failure.urlErrorCode.rawValue == -1200, "\(failure)")
  }

  @Test func versionLimits() async throws {
    let nginx = try await NginxServer.shared
    let engine = try await engine {
      $0.minimumVersion = .v12
      $0.maximumVersion = .v12
    }
    let state = try await engine.get(nginx.url(on: .https).absoluteString)
    #expect(state.metrics?.tlsVersion == 0x0303)
  }

  @Test func plainHTTPOnATLSPort() async throws {
    let nginx = try await NginxServer.shared
    let url = nginx.url().absoluteString.replacingOccurrences(of: "http:", with: "https:")
    let failure = try #require(try await engine().get(url).failure)
    #expect(failure.urlErrorCode.rawValue == -1200, "\(failure)")
  }

  @Test func contentCodingsOfARealServer() async throws {
    let nginx = try await NginxServer.shared
    var request = TransferRequest(url: nginx.url("/gzip/large.bin", on: .https).absoluteString, decodesContent: true)
    request.expectsLargeBody = true
    let state = try await engine().run(request)
    #expect(state.head?.firstValue(of: "content-encoding") == "gzip")
    #expect(state.body.count == DocumentRoot.largeSize)
  }
}
