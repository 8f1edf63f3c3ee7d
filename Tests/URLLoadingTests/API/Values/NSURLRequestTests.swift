import Foundation
import Testing

@testable import URLLoading

@Suite struct NSURLRequestTests {
  private func sample() -> NSMutableURLRequest {
    let request = NSMutableURLRequest(
      url: "http://example.org/a?b", cachePolicy: .returnCacheDataElseLoad, timeoutInterval: 5)
    request.httpMethod = "post"
    request.setValue("1", forHTTPHeaderField: "A")
    request.addValue("2", forHTTPHeaderField: "a")
    request.httpBody = Data("body".utf8)
    request.mainDocumentURL = "http://main.example/"
    request.httpShouldHandleCookies = false
    request.networkServiceType = .video
    return request
  }

  @Test func bridgesBothWaysByAs() throws {
    let object = sample()
    object.request.setProtocolProperty("value", forKey: "key")
    let value = object as URLRequest
    #expect(value.httpMethod == "POST")
    #expect(value.value(forHTTPHeaderField: "A") == "1,2")
    #expect(value.protocolProperty(forKey: "key") as? String == "value")
    let back = value as NSURLRequest
    #expect(back == object)
    #expect(back.request.protocolProperty(forKey: "key") as? String == "value")
    let any: Any = object
    #expect((any as? URLRequest)?.url == "http://example.org/a?b")
    #expect(((value as Any) as? NSURLRequest)?.url == "http://example.org/a?b")
  }

  /// `init(url:)` goes by the other initialiser, as FoundationNetworking's does, and sets no timeout all the same.
  @Test func aPlainRequestHasNoTimeoutOfItsOwn() {
    for request in [NSURLRequest(url: "http://a/"), NSMutableURLRequest(url: "http://a/")] {
      #expect((request as URLRequest).explicitTimeoutInterval == nil && request.timeoutInterval == 60)
    }
    let own = NSURLRequest(url: "http://a/", cachePolicy: .useProtocolCachePolicy, timeoutInterval: 60)
    #expect((own as URLRequest).explicitTimeoutInterval == 60)
  }

  @Test func theValueTakenDoesNotFollowTheObject() {
    let object = sample()
    let value = object as URLRequest
    object.url = "http://changed/"
    #expect(value.url == "http://example.org/a?b")
  }

  @Test func copies() throws {
    let object = sample()
    let copy = try #require(object.copy() as? NSURLRequest)
    #expect(!(copy is NSMutableURLRequest))
    #expect(copy == object && copy.hash == object.hash)
    #expect(copy.copy() as? NSURLRequest === copy)
    let mutable = try #require(copy.mutableCopy() as? NSMutableURLRequest)
    mutable.httpMethod = "PUT"
    #expect(copy.httpMethod == "POST")
    #expect(mutable != copy)
  }

  @Test func everyInitialiserMakesWhatItsClassSays() throws {
    let short = NSMutableURLRequest(url: "http://a/")
    short.url = "http://b/"
    #expect(short.url == "http://b/" && short.timeoutInterval == 60 && short.cachePolicy == .useProtocolCachePolicy)
    let long = sample()
    #expect(long.timeoutInterval == 5 && long.cachePolicy == .returnCacheDataElseLoad)
    let back = try #require(try archivedAndBack(long))
    back.url = "http://b/"
    #expect(back.url == "http://b/" && long.url == "http://example.org/a?b")
    #expect(NSURLRequest.supportsSecureCoding && NSMutableURLRequest.supportsSecureCoding)
  }

  @Test func copiesOfWhatCanChangeDoNotFollowIt() throws {
    let object = sample()
    let (copy, mutable) = (object.copy(), object.mutableCopy())
    object.httpMethod = "PUT"
    #expect((copy as? NSURLRequest)?.httpMethod == "POST" && !(copy is NSMutableURLRequest))
    let changed = try #require(mutable as? NSMutableURLRequest)
    #expect(changed !== object && changed.httpMethod == "POST")
    changed.httpMethod = "DELETE"
    #expect(object.httpMethod == "PUT")
    #expect((object.copy(with: nil) as? NSURLRequest)?.httpMethod == "PUT")
    #expect((object.mutableCopy(with: nil) as? NSMutableURLRequest)?.httpMethod == "PUT")
  }

  @Test func theDescriptionHasNoPassword() {
    #expect("\(NSURLRequest(url: "http://me:secret@a/"))".contains("secret") == false)
  }

  @Test func theShortInitialiserLeavesTheTimeoutToTheSession() {
    #expect(NSURLRequest(url: "http://a/").request.explicitTimeoutInterval == nil)
    #expect(NSMutableURLRequest(url: "http://a/").timeoutInterval == 60)
    #expect(sample().request.explicitTimeoutInterval == 5)
  }

  @Test func archives() throws {
    let object = sample()
    object.request.setProtocolProperty(["a": 1], forKey: "list")
    object.request.setProtocolProperty(NSObject(), forKey: "object")
    let back = try #require(try archivedAndBack(object))
    #expect(back == object)
    #expect(back.request.protocolProperty(forKey: "list") as? [String: Int] == ["a": 1])
    #expect(back.request.protocolProperty(forKey: "object") == nil)
    #expect(back.request.explicitTimeoutInterval == 5)
  }

  @Test func aForgedArchiveGivesNothing() throws {
    let forged: [[String: Any]] = [
      [:], ["method": 1], ["method": "GET", "url": 5, "cachePolicy": -1, "networkServiceType": 99, "fields": ["odd"]],
      ["method": "GET", "fields": "no list", "body": "no data", "timeoutInterval": "no number"],
    ]
    for (index, list) in forged.enumerated() {
      let request = URLRequest(propertyList: list)
      #expect((request == nil) == (index < 2))
      #expect(request?.cachePolicy ?? .useProtocolCachePolicy == .useProtocolCachePolicy)
      #expect(request?.allHTTPHeaderFields == nil)
    }
  }
}
