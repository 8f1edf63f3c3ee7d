import Foundation
import Testing

@testable import URLLoading

/// Which cookies go with a request to another URL, and which stay behind.
@Suite struct CookieStageTests {
  private func request(cookies: String?) -> URLRequest {
    var request = URLRequest(url: URL(fileURLWithPath: "/"))
    request.setValue(cookies, forHTTPHeaderField: "Cookie")
    return request
  }

  @Test func whatTheStorageHasAddedIsWithdrawn() {
    var request = request(cookies: "a=1")
    CookieStage(added: "a=1").withdraw(from: &request)
    #expect(request.value(forHTTPHeaderField: "Cookie") == nil)
  }

  @Test(arguments: [nil, "a=1"]) func cookiesOfTheProgramStay(added: String?) {
    var request = request(cookies: "own=1")
    CookieStage(added: added).withdraw(from: &request)
    #expect(request.value(forHTTPHeaderField: "Cookie") == "own=1")
  }

  @Test func onlyCookiesOfTheStorageAreRenewed() {
    #expect(CookieStage(added: "a=1").mayRenew(request(cookies: "a=1")))
    #expect(CookieStage().mayRenew(request(cookies: nil)))
    #expect(!CookieStage().mayRenew(request(cookies: "own=1")))
    #expect(!CookieStage(added: "a=1").mayRenew(request(cookies: nil)))
  }
}
