import Foundation
import Testing

@testable import URLLoading

/// Which credentials are stored, and who answers which challenge.
@Suite struct CredentialStageTests {
  private final class Sender: NSObject, URLAuthenticationChallengeSender {
    func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) {}
    func continueWithoutCredential(for challenge: URLAuthenticationChallenge) {}
    func cancel(_ challenge: URLAuthenticationChallenge) {}
    func performDefaultHandling(for challenge: URLAuthenticationChallenge) {}
    func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) {}
  }

  private static func space(_ method: String = NSURLAuthenticationMethodHTTPBasic) -> URLProtectionSpace {
    URLProtectionSpace(host: "a.test", port: 80, protocol: "http", realm: nil, authenticationMethod: method)
  }

  private static func credential(_ persistence: URLCredential.Persistence) -> URLCredential {
    URLCredential(user: "anna", password: "secret", persistence: persistence)
  }

  private static func challenge(_ method: String, failures: Int = 0) -> URLAuthenticationChallenge {
    URLAuthenticationChallenge(
      protectionSpace: space(method), proposedCredential: nil, previousFailureCount: failures, failureResponse: nil,
      error: nil, sender: Sender())
  }

  @Test func aCredentialIsTakenOnce() {
    var stage = CredentialStage()
    stage.answered(Self.space(), with: Self.credential(.forSession))
    #expect(stage.awaitsAcceptance)
    #expect(stage.takeAnswer()?.credential.user == "anna")
    #expect(!stage.awaitsAcceptance)
    #expect(stage.takeAnswer()?.credential.user == nil)
  }

  @Test func theLastAnswerCounts() {
    var stage = CredentialStage()
    stage.answered(Self.space(), with: Self.credential(.forSession))
    stage.answered(Self.space(), with: nil)
    #expect(!stage.awaitsAcceptance)
  }

  @Test func whatIsOfOneUseIsNotKept() {
    #expect(ChallengeRules.keeps(Self.credential(.forSession)))
    #expect(!ChallengeRules.keeps(Self.credential(.none)))
  }

  @Test func theURLNamesACredentialOnce() throws {
    let url = try #require(URL(string: "http://anna:secret@a.test/"))
    let basic = NSURLAuthenticationMethodHTTPBasic
    #expect(ChallengeRules.credential(for: Self.challenge(basic), in: url, orOf: nil)?.user == "anna")
    #expect(ChallengeRules.credential(for: Self.challenge(basic, failures: 1), in: url, orOf: nil)?.user == nil)
    let trust = Self.challenge(NSURLAuthenticationMethodServerTrust)
    #expect(ChallengeRules.credential(for: trust, in: url, orOf: nil)?.user == nil)
  }

  @Test func theOriginalURLCountsWithinItsOrigin() throws {
    let original = try #require(URL(string: "http://anna:secret@a.test/"))
    let challenge = Self.challenge(NSURLAuthenticationMethodHTTPBasic)
    let (same, other) = (try #require(URL(string: "http://a.test/b")), try #require(URL(string: "http://b.test/b")))
    #expect(ChallengeRules.credential(for: challenge, in: same, orOf: original)?.user == "anna")
    #expect(ChallengeRules.credential(for: challenge, in: other, orOf: original)?.user == nil)
  }

  @Test func noStorageAnswersAHandshake() {
    #expect(ChallengeRules.mayAskStorage(about: Self.challenge(NSURLAuthenticationMethodHTTPDigest)))
    #expect(!ChallengeRules.mayAskStorage(about: Self.challenge(NSURLAuthenticationMethodServerTrust)))
    #expect(!ChallengeRules.mayAskStorage(about: Self.challenge(NSURLAuthenticationMethodHTTPDigest, failures: 1)))
  }
}
