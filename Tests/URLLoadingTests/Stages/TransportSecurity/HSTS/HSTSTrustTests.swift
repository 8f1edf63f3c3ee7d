import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoading

/// No error of the certificates of a known HSTS host is overlooked, whoever would (RFC 6797, section 8.4).
@Suite(.timeLimit(.minutes(4))) struct HSTSTrustTests {
  private static let server = LazyServer {
    try await NginxServer.start(
      locations: """
        location = /hsts { add_header Strict-Transport-Security 'max-age=1000; includeSubDomains'; return 200 'noted'; }
        location = /end { add_header Strict-Transport-Security 'max-age=0'; return 200 'ended'; }
        """)
  }

  /// Policies are of hosts, whatever their ports: these have certificates that are not trusted.
  private static let flawed: [(NginxServer.Listener, URLError.Code)] = [
    (.httpsExpired, .serverCertificateHasBadDate), (.httpsWrongHost, .serverCertificateUntrusted),
    (.httpsSelfSigned, .serverCertificateUntrusted),
  ]

  private let nginx: NginxServer
  private let authority: URL

  init() async throws {
    nginx = try await Self.server.server
    authority = try await TestCertificates.shared.authority
  }

  private func url(_ listener: NginxServer.Listener, _ path: String = "/small.txt", host: String = "localhost") -> URL {
    nginx.url(path, on: listener, host: host)
  }

  private func error(_ session: URLSession, _ url: URL, _ delegate: TaskTrustDelegate? = nil) async -> URLError? {
    do {
      _ = try await session.data(from: url, delegate: delegate)
      return nil
    } catch { return error as? URLError }
  }

  @Test func noDelegateAcceptsAKnownHost() async throws {
    let delegate = TrustDelegate.accepting()
    let session = delegate.session { $0.certificateAuthorityFile = authority }
    // Before the host is known; the connections are kept.
    for (listener, _) in Self.flawed { #expect(await error(session, url(listener)) == nil) }
    #expect(delegate.challenges.value.count == 3)
    #expect(try await session.data(from: url(.https, "/hsts")).0 == Data("noted".utf8))
    #expect(delegate.challenges.value.count == 4)
    for _ in 0..<2 {
      for (listener, code) in Self.flawed {
        let error = await error(session, url(listener))
        #expect(error?.code == code)
        #expect(error?.localizedDescription.contains("Strict-Transport-Security") == true)
      }
    }
    // Nobody was asked. A plain URL comes to the same.
    let plain = try #require(URL(string: "http://localhost:\(nginx.port(.httpsExpired))/small.txt"))
    #expect(await error(session, plain)?.code == .serverCertificateHasBadDate)
    #expect(delegate.challenges.value.count == 4)
    // Another host is as it was, and so is this one with certificates that are trusted, and once it has ended its policy.
    #expect(await error(session, url(.httpsExpired, host: "127.0.0.1")) == nil)
    #expect(delegate.challenges.value.count == 5)
    #expect(await error(session, url(.https)) == nil)
    _ = try await session.data(from: url(.https, "/end"))
    for (listener, _) in Self.flawed { #expect(await error(session, url(listener)) == nil) }
    session.finishTasksAndInvalidate()
  }

  @Test func noDelegateOfATaskDoes() async throws {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.connectionProxyDictionary = [:]
    configuration.certificateAuthorityFile = authority
    let session = URLSession(configuration: configuration)
    _ = try await session.data(from: url(.https, "/hsts"))
    for (listener, code) in Self.flawed {
      #expect(await error(session, url(listener), TaskTrustDelegate())?.code == code)
      #expect(await error(session, url(listener))?.code == code)
      #expect(await error(session, url(listener, host: "127.0.0.1"), TaskTrustDelegate()) == nil)
    }
    // A host below, for which the certificate is not.
    let below = await error(session, url(.https, host: "below.localhost"), TaskTrustDelegate())
    #expect(below?.code == .serverCertificateUntrusted)
    session.finishTasksAndInvalidate()
  }

  /// A delegate may still want more than that.
  @Test func aDelegateMayRefuseAKnownHost() async throws {
    let delegate = TrustDelegate { challenge in
      let isFirst = challenge.protectionSpace.host == "127.0.0.1"
      return (isFirst ? .performDefaultHandling : .cancelAuthenticationChallenge, nil)
    }
    let storage = HTTPCookieStorage()
    let session = delegate.session {
      $0.certificateAuthorityFile = authority
      $0.httpCookieStorage = storage
    }
    let other = TrustDelegate.accepting().session {
      $0.certificateAuthorityFile = authority
      $0.httpCookieStorage = storage
    }
    _ = try await other.data(from: url(.https, "/hsts"))
    #expect(storage.requiresSecureTransport(to: "localhost"))
    #expect(await error(session, url(.https))?.code == .cancelled)
    #expect(delegate.challenges.value.count == 1)
    for session in [session, other] { session.finishTasksAndInvalidate() }
  }
}
