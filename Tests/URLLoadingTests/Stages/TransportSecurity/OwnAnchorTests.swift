import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoading

/// Delegates that evaluate with roots, dates and exceptions of their own, in a session that does not know the authority.
@Suite(.timeLimit(.minutes(4))) struct OwnAnchorTests {
  /// Loads, with the delegate's evaluation deciding.
  /// - Returns: the error's code, and the evaluation's.
  private static func load(
    _ condition: String, _ prepare: @escaping @Sendable (SecTrust) -> Void
  ) async throws -> (URLError.Code?, Int?) {
    let root = SecCertificate.certificates(pem: try Data(contentsOf: await TLSCorpus.shared.file("root.pem")))
    let found = Watched<Int?>(nil)
    let delegate = TrustDelegate { challenge in
      guard let trust = challenge.protectionSpace.serverTrust else { return (.performDefaultHandling, nil) }
      SecTrustSetAnchorCertificates(trust, root as CFArray)
      prepare(trust)
      var error: CFError?
      guard SecTrustEvaluateWithError(trust, &error) else {
        found.update { $0 = error?.code }
        return (.cancelAuthenticationChallenge, nil)
      }
      return (.useCredential, URLCredential(trust: trust))
    }
    let session = delegate.session()
    defer { session.finishTasksAndInvalidate() }
    do {
      _ = try await session.data(from: TLSCorpus.server.url(condition, "/anchors"))
      return (nil, found.value)
    } catch { return ((error as? URLError)?.code, found.value) }
  }

  @Test(arguments: [
    ("good", nil), ("stapled good", nil), ("must staple good", nil), ("wrong order", nil),
    ("stapled revoked", errSecCertificateRevoked), ("stapled revoked by responder", errSecCertificateRevoked),
    ("must staple nothing", errSecCertificateRevoked), ("must staple unknown", errSecCertificateRevoked),
    ("expired", errSecCertificateExpired), ("not yet valid", errSecCertificateNotValidYet),
    ("expired and wrong name", errSecHostNameMismatch), ("expired and revoked", errSecCertificateRevoked),
    ("expired from unknown", errSecCreateChainFailed), ("wrong name", errSecHostNameMismatch),
    ("unknown authority", errSecCreateChainFailed), ("other trusted authority", errSecCreateChainFailed),
    ("self-signed", errSecCreateChainFailed), ("forged authority", errSecNotTrusted), ("RSA 1024", errSecNotTrusted),
    ("SHA-1", errSecNotTrusted), ("for clients only", errSecNotTrusted),
  ])
  func theEvaluationSaysWhatIsGravest(_ condition: String, _ expected: OSStatus?) async throws {
    let (code, status) = try await Self.load(condition) { _ in }
    #expect(code == (expected == nil ? nil : .cancelled))
    #expect(status == expected.map { Int($0) })
  }

  /// Overlooking a date overlooks nothing else.
  @Test func anotherDateMakesUpForTheDateAlone() async throws {
    let before: @Sendable (SecTrust) -> Void = { trust in
      // It ended a day ago; the intermediate's time began two days ago.
      SecTrustSetVerifyDate(trust, Date(timeIntervalSinceNow: -1.5 * 86400) as CFDate)
    }
    #expect(try await Self.load("expired", before) == (nil, nil))
    #expect(try await Self.load("expired and wrong name", before).1 == Int(errSecHostNameMismatch))
    #expect(try await Self.load("expired and revoked", before).1 == Int(errSecCertificateRevoked))
    #expect(try await Self.load("expired from unknown", before).1 == Int(errSecCreateChainFailed))
  }

  @Test(arguments: [Double.infinity, -.infinity, .nan, 1e300, -1e300, 1e18, 0, 253_402_300_800])
  func anyDateIsADate(_ seconds: Double) async throws {
    let (code, _) = try await Self.load("good") { trust in
      SecTrustSetVerifyDate(trust, Date(timeIntervalSince1970: seconds) as CFDate)
    }
    #expect(code == .cancelled)
  }

  @Test func exceptionsAreForOneFailureOfOneCertificate() async throws {
    let exceptions = Watched<Data?>(nil)
    _ = try await Self.load("expired") { trust in exceptions.update { $0 = SecTrustCopyExceptions(trust) as Data? } }
    let known = exceptions.value
    let take: @Sendable (SecTrust) -> Void = { trust in _ = SecTrustSetExceptions(trust, known as CFData?) }
    #expect(try await Self.load("expired", take) == (nil, nil))
    #expect(try await Self.load("not yet valid", take).1 == Int(errSecCertificateNotValidYet))
    #expect(try await Self.load("expired and revoked", take).1 == Int(errSecCertificateRevoked))
  }
}
