import Foundation
import Testing

@testable import URLLoading

@Suite struct AuthenticationTypesTests {
  @Test func credentials() throws {
    let credential = URLCredential(user: "u", password: "p", persistence: .forSession)
    #expect(credential.user == "u" && credential.password == "p" && credential.hasPassword)
    #expect(credential == URLCredential(user: "u", password: "p", persistence: .forSession))
    #expect(credential.hash == URLCredential(user: "u", password: "p", persistence: .forSession).hash)
    #expect(credential != URLCredential(user: "u", password: "q", persistence: .forSession))
    #expect(credential != URLCredential(user: "u", password: "p", persistence: .none))
    #expect(!credential.description.contains("p\"") && !"\(credential)".contains(" p "))
    #expect(try archivedAndBack(credential) == credential)
    #expect(credential.copy() as? URLCredential == credential)
  }

  private func space(
    _ host: String = "h", _ port: Int = 80, _ scheme: String? = "http", _ realm: String? = "r", _ method: String? = nil
  ) -> URLProtectionSpace {
    URLProtectionSpace(host: host, port: port, protocol: scheme, realm: realm, authenticationMethod: method)
  }

  @Test func protectionSpacesThatSayTheSameAreEqual() throws {
    #expect(space() == space())
    #expect(space("Example.ORG") == space("example.org"))
    #expect(space("Example.ORG").hash == space("example.org").hash)
    #expect(Set([space(), space(), space("x")]).count == 2)
    for other in [
      space("x"), space("h", 81), space("h", 80, "https"), space("h", 80, "http", "R"),
      space("h", 80, "http", "r", NSURLAuthenticationMethodHTTPBasic),
      URLProtectionSpace(proxyHost: "h", port: 80, type: "http", realm: "r", authenticationMethod: nil),
    ] {
      #expect(space() != other)
    }
    #expect(try archivedAndBack(space()) == space())
  }

  @Test func protectionSpaceProperties() {
    let proxy = URLProtectionSpace(
      proxyHost: "p", port: 3128, type: NSURLProtectionSpaceHTTPProxy, realm: nil, authenticationMethod: nil)
    #expect(proxy.isProxy() && proxy.proxyType == NSURLProtectionSpaceHTTPProxy && proxy.protocol == nil)
    #expect(proxy.authenticationMethod == NSURLAuthenticationMethodDefault)
    #expect(!space().isProxy() && space().proxyType == nil && space().protocol == "http")
    #expect(!space().receivesCredentialSecurely)
    #expect(space("h", 443, "https").receivesCredentialSecurely)
    #expect(space("h", 80, "http", nil, NSURLAuthenticationMethodHTTPDigest).receivesCredentialSecurely)
    #expect(!proxy.receivesCredentialSecurely)
  }

  @Test func onlyCertificatesHaveDistinguishedNames() {
    #expect(space().distinguishedNames == nil)
  }

  @Test func archivesOfChallenges() throws {
    let response = try #require(
      HTTPURLResponse(url: "http://h/", statusCode: 401, httpVersion: nil, headerFields: ["A": "b"]))
    let whole = URLAuthenticationChallenge(
      protectionSpace: space(), proposedCredential: URLCredential(user: "u", password: "p", persistence: .none),
      previousFailureCount: 2, failureResponse: response,
      error: URLError(.userAuthenticationRequired, message: "Wrong.", url: nil), sender: Sender())
    let back = try #require(try archivedAndBack(whole))
    #expect(back.protectionSpace == space() && back.previousFailureCount == 2 && back.sender == nil)
    #expect(back.proposedCredential == whole.proposedCredential && back.failureResponse == response)
    #expect((back.error as? URLError)?.code == .userAuthenticationRequired)
    #expect(back.error?.localizedDescription == "Wrong.")
    let bare = URLAuthenticationChallenge(
      protectionSpace: space(), proposedCredential: nil, previousFailureCount: 0, failureResponse: nil, error: nil,
      sender: Sender())
    let bareBack = try #require(try archivedAndBack(bare))
    #expect(bareBack.proposedCredential == nil && bareBack.failureResponse == nil && bareBack.error == nil)
    #expect(URLAuthenticationChallenge.supportsSecureCoding && URLCredential.supportsSecureCoding)
  }

  @Test func forgedArchivesGiveNothing() throws {
    for bytes in [nil, Data(), Data("x".utf8), Data("bplist00".utf8), Data(repeating: 0xFF, count: 100)] {
      #expect(try forged(URLCredential.self, bytes) == nil)
      #expect(try forged(URLProtectionSpace.self, bytes) == nil)
      #expect(try forged(URLAuthenticationChallenge.self, bytes) == nil)
      #expect(try forged(CachedURLResponse.self, bytes) == nil)
      #expect(try forged(URLResponse.self, bytes) == nil && forged(HTTPURLResponse.self, bytes) == nil)
      #expect(try forged(NSURLRequest.self, bytes) == nil)
    }
    for persistence in [-1, 4, Int.max] as [Any] + ["none", Data()] {
      #expect(try forged(URLCredential.self, ["user": "u", "persistence": persistence]) == nil)
    }
    #expect(try forged(URLCredential.self, ["user": 5, "persistence": 1])?.user == nil)
    #expect(try forged(URLProtectionSpace.self, ["host": "h", "port": "80", "authenticationMethod": "m"]) == nil)
    #expect(try forged(URLProtectionSpace.self, ["host": "h", "port": 80, "authenticationMethod": "m"])?.host == "h")
  }

  @Test func archivesWithForgedPartsGiveNothing() throws {
    let list: [String: Any] = ["previousFailureCount": 0, "data": Data(), "storagePolicy": 0]
    #expect(try forged(URLAuthenticationChallenge.self, list) == nil)
    #expect(try forged(CachedURLResponse.self, list) == nil)
    for part in [5, "text", Data(), ["isHTTP": true]] as [Any] {
      var forgery = list
      forgery["space"] = part
      forgery["response"] = part
      #expect(try forged(URLAuthenticationChallenge.self, forgery) == nil)
      #expect(try forged(CachedURLResponse.self, forgery) == nil)
      forgery["space"] = ["host": "h", "port": 80, "authenticationMethod": "m"] as [String: Any]
      forgery["credential"] = part
      let challenge = try #require(try forged(URLAuthenticationChallenge.self, forgery))
      #expect(challenge.proposedCredential == nil && challenge.failureResponse == nil)
      #expect(challenge.protectionSpace.host == "h")
    }
    var right = list
    right["response"] = ["url": "http://h/"]
    #expect(try forged(CachedURLResponse.self, right)?.response.url == "http://h/")
    right["storagePolicy"] = 9
    #expect(try forged(CachedURLResponse.self, right) == nil)
  }

  private final class Sender: NSObject, URLAuthenticationChallengeSender, @unchecked Sendable {
    // Used by one test on one thread.
    nonisolated(unsafe) var continued = 0
    func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) {}
    func continueWithoutCredential(for challenge: URLAuthenticationChallenge) { continued += 1 }
    func cancel(_ challenge: URLAuthenticationChallenge) {}
  }

  @Test func challenges() {
    let first = Sender()
    let second = Sender()
    let response = URLResponse(url: "http://h/", mimeType: nil, expectedContentLength: 0, textEncodingName: nil)
    let challenge = URLAuthenticationChallenge(
      protectionSpace: space(), proposedCredential: nil, previousFailureCount: 2, failureResponse: response,
      error: URLError(.userAuthenticationRequired), sender: first)
    let again = URLAuthenticationChallenge(authenticationChallenge: challenge, sender: second)
    #expect(again.protectionSpace == space() && again.previousFailureCount == 2)
    #expect(again.failureResponse === response && (again.error as? URLError)?.code == .userAuthenticationRequired)
    #expect(challenge.sender === first && again.sender === second)
    again.sender?.performDefaultHandling(for: again)
    again.sender?.rejectProtectionSpaceAndContinue(with: again)
    #expect(second.continued == 2 && first.continued == 0)
  }
}
