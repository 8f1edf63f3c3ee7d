import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoading

/// Challenges about servers' certificates.
@Suite(.timeLimit(.minutes(4))) struct ServerTrustTests {
  private func code(_ session: URLSession, _ url: URL) async -> URLError.Code? {
    do {
      _ = try await session.data(from: url)
      return nil
    } catch { return (error as? URLError)?.code }
  }

  @Test(arguments: [NginxServer.Listener.https, .httpsHTTP1])
  func aServerThatTheDelegateAcceptsIsLoadedFrom(_ listener: NginxServer.Listener) async throws {
    let nginx = try await NginxServer.shared
    let delegate = TrustDelegate.accepting()
    let session = delegate.session()
    for _ in 0..<3 {
      let (data, _) = try await session.data(from: nginx.url(on: listener))
      #expect(data == DocumentRoot.small)
    }
    // One connection, one question.
    #expect(delegate.methods == [NSURLAuthenticationMethodServerTrust])
    let space = try #require(delegate.challenges.value.first?.protectionSpace)
    #expect(space.host == "127.0.0.1" && space.port == nginx.url(on: listener).port && space.protocol == "https")
    let checks = delegate.metrics.value.map { $0.weakenedChecks.map(\.check) }
    #expect(checks == [[.certificateChain], [.certificateChain], [.certificateChain]])
    #expect(delegate.metrics.value.map(\.isReusedConnection) == [false, true, true])
    session.finishTasksAndInvalidate()
  }

  @Test func theChallengeHasTheCertificatesAndTheirEvaluation() async throws {
    let nginx = try await NginxServer.shared
    let trusts = Watched<[SecTrust]>([])
    let delegate = TrustDelegate { challenge in
      challenge.protectionSpace.serverTrust.map { trust in trusts.update { $0.append(trust) } }
      return (.performDefaultHandling, nil)
    }
    let session = delegate.session()
    #expect(await code(session, nginx.url(on: .https)) == .serverCertificateUntrusted)
    let trust = try #require(trusts.value.first)
    let leaf = try #require(trust.certificates.first)
    #expect(leaf.addresses.contains("127.0.0.1") && leaf.dnsNames == ["localhost"])
    #expect(leaf.subject == "CN=server" && leaf.issuer == "CN=Test authority")
    #expect(leaf.fingerprint.count == 32 && leaf.publicKeyHash?.count == 32)
    var error: CFError?
    #expect(!SecTrustEvaluateWithError(trust, &error))
    #expect(error?.code == Int(errSecCreateChainFailed) && error?.domain == NSOSStatusErrorDomain)
    let pem = try Data(contentsOf: await TestCertificates.shared.authority)
    #expect(SecTrustSetAnchorCertificates(trust, SecCertificate.certificates(pem: pem) as CFArray) == errSecSuccess)
    #expect(SecTrustEvaluateWithError(trust, &error) && error == nil)
    #expect(SecTrustGetCertificateCount(trust) == 2)
    #expect(SecTrustSetPolicies(trust, SecPolicyCreateSSL(true, "other.example")) == errSecSuccess)
    #expect(!SecTrustEvaluateWithError(trust, &error) && error?.code == Int(errSecHostNameMismatch))
    session.finishTasksAndInvalidate()
  }

  @Test func defaultHandlingIsWhatHappensWithoutADelegate() async throws {
    let nginx = try await NginxServer.shared
    let authority = try await TestCertificates.shared.authority
    let delegate = TrustDelegate.answering(.performDefaultHandling)
    let session = delegate.session { $0.certificateAuthorityFile = authority }
    #expect(await code(session, nginx.url(on: .https)) == nil)
    #expect(await code(session, nginx.url(on: .httpsExpired)) == .serverCertificateHasBadDate)
    #expect(await code(session, nginx.url(on: .httpsWrongHost)) == .serverCertificateUntrusted)
    #expect(await code(session, nginx.url(on: .httpsSelfSigned)) == .serverCertificateUntrusted)
    #expect(delegate.challenges.value.count == 4)
    #expect(delegate.metrics.value.allSatisfy { $0.weakenedChecks.isEmpty })
    session.finishTasksAndInvalidate()
  }

  @Test func aRejectedServerIsNotLoadedFrom() async throws {
    let nginx = try await NginxServer.shared
    let authority = try await TestCertificates.shared.authority
    for (disposition, expected) in [
      (URLSession.AuthChallengeDisposition.cancelAuthenticationChallenge, URLError.Code.cancelled),
      (.rejectProtectionSpace, .serverCertificateUntrusted),
    ] {
      let session = TrustDelegate.answering(disposition).session { $0.certificateAuthorityFile = authority }
      #expect(await code(session, nginx.url(on: .https)) == expected)
      session.finishTasksAndInvalidate()
    }
  }

  @Test func aTasksDelegateIsAskedWhereTheSessionHasNone() async throws {
    let nginx = try await NginxServer.shared
    final class Own: NSObject, URLSessionTaskDelegate, Sendable {
      let asked = Watched(0)
      func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge
      ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
        asked.update { $0 += 1 }
        return (.useCredential, challenge.protectionSpace.serverTrust.map { URLCredential(trust: $0) })
      }
    }
    let configuration = URLSessionConfiguration.ephemeral
    configuration.connectionProxyDictionary = [:]
    configuration.urlCache = nil
    let session = URLSession(configuration: configuration)
    let (first, second) = (Own(), Own())
    for own in [first, first, second] {
      let (data, _) = try await session.data(from: nginx.url(on: .https), delegate: own)
      #expect(data == DocumentRoot.small)
    }
    // What one delegate accepted is not accepted for another, nor for loads without one.
    #expect(first.asked.value == 1 && second.asked.value == 1)
    #expect(await code(session, nginx.url(on: .https)) == .serverCertificateUntrusted)
    session.finishTasksAndInvalidate()
  }

  /// The session's delegate answers where both could, whatever the task's would say, and that is not asked after it.
  @Test(arguments: [true, false]) func theSessionsDelegateIsAskedBeforeTheTasks(_ accepts: Bool) async throws {
    let nginx = try await NginxServer.shared
    final class Own: NSObject, URLSessionTaskDelegate, Sendable {
      let asked = Watched(0)
      let accepts: Bool
      init(accepts: Bool) { self.accepts = accepts }
      func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge
      ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
        asked.update { $0 += 1 }
        guard accepts, let trust = challenge.protectionSpace.serverTrust else { return (.rejectProtectionSpace, nil) }
        return (.useCredential, URLCredential(trust: trust))
      }
    }
    let delegate = accepts ? TrustDelegate.accepting() : .answering(.rejectProtectionSpace)
    let authority = try await TestCertificates.shared.authority
    let session = delegate.session { $0.certificateAuthorityFile = authority }
    let own = Own(accepts: !accepts)
    // Which methods they have is known from the second one on.
    for _ in 0..<2 {
      do {
        let (data, _) = try await session.data(from: nginx.url(on: .https), delegate: own)
        #expect(accepts && data == DocumentRoot.small)
      } catch {
        #expect(!accepts && (error as? URLError)?.code == .serverCertificateUntrusted)
      }
    }
    #expect(own.asked.value == 0)
    #expect(!delegate.challenges.value.isEmpty)
    session.finishTasksAndInvalidate()
  }

  @Test func aBodyFromAStreamIsReadOnce() async throws {
    let nginx = try await NginxServer.shared
    let delegate = TrustDelegate.accepting()
    let session = delegate.session()
    var request = URLRequest(url: nginx.url("/upload/trust-\(UInt32.random(in: 0 ... .max))", on: .https))
    request.httpMethod = "PUT"
    request.httpBodyStream = InputStream(data: Data(TestFiles.pattern(count: 300_000)))
    let (_, response) = try await session.data(for: request)
    #expect((response as? HTTPURLResponse)?.statusCode == 201)
    let (data, _) = try await session.data(from: request.url ?? nginx.url(on: .https))
    #expect(data == Data(TestFiles.pattern(count: 300_000)))
    #expect(delegate.challenges.value.count == 1)
    session.finishTasksAndInvalidate()
  }

  @Test func aDelegateWithoutTheMethodChangesNothing() async throws {
    let nginx = try await NginxServer.shared
    let authority = try await TestCertificates.shared.authority
    final class Plain: NSObject, URLSessionTaskDelegate, Sendable {}
    let configuration = URLSessionConfiguration.ephemeral
    configuration.connectionProxyDictionary = [:]
    configuration.certificateAuthorityFile = authority
    let session = URLSession(configuration: configuration, delegate: Plain(), delegateQueue: nil)
    for _ in 0..<3 { #expect(await code(session, nginx.url(on: .https)) == nil) }
    #expect(await code(session, nginx.url(on: .httpsWrongHost)) == .serverCertificateUntrusted)
    session.finishTasksAndInvalidate()
  }
}
