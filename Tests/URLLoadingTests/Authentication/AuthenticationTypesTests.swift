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
