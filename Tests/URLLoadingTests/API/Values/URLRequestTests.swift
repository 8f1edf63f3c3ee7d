import Foundation
import Testing
import URLLoadingHTTPSemantics

@testable import URLLoading

@Suite struct URLRequestTests {
  @Test func defaults() {
    let request = URLRequest(url: "http://example.org/")
    #expect(request.url == "http://example.org/")
    #expect(request.cachePolicy == .useProtocolCachePolicy)
    #expect(request.timeoutInterval == 60)
    #expect(request.explicitTimeoutInterval == nil)
    #expect(request.mainDocumentURL == nil)
    #expect(request.networkServiceType == .default)
    #expect(request.httpMethod == "GET")
    #expect(request.allHTTPHeaderFields == nil)
    #expect(request.httpBody == nil && request.httpBodyStream == nil)
    #expect(request.httpShouldHandleCookies)
  }

  @Test func relativeURLsBecomeAbsolute() throws {
    let base = try #require(URL(string: "http://example.org/dir/a?x"))
    let url = try #require(URL(string: "../b?q#f", relativeTo: base))
    var request = URLRequest(url: url)
    let expected = try #require(URL(string: "http://example.org/b?q#f"))
    #expect(request.url?.baseURL == nil && request.url == expected && request.url?.relativeString == "\(expected)")
    request.url = URL(string: "c", relativeTo: base)
    request.mainDocumentURL = URL(string: "d", relativeTo: base)
    #expect(request.url?.baseURL == nil && request.url == "http://example.org/dir/c")
    #expect(request.urlFacts.text == "http://example.org/dir/c" && request.urlFacts.isHTTP)
    #expect(request.mainDocumentURL?.baseURL == nil && request.mainDocumentURL == "http://example.org/dir/d")
    #expect(URLRequest(url: url) == URLRequest(url: expected))
    let object = NSMutableURLRequest(url: url)
    #expect(object.url?.baseURL == nil && object.url == expected)
    object.url = URL(string: "e", relativeTo: base)
    object.mainDocumentURL = url
    #expect(object.url?.baseURL == nil && object.url == "http://example.org/dir/e")
    #expect(object.mainDocumentURL?.baseURL == nil && NSURLRequest(url: url).url?.baseURL == nil)
    let file = URLRequest(url: URL(fileURLWithPath: "b", relativeTo: URL(fileURLWithPath: "/dir/")))
    #expect(file.url?.baseURL == nil && file.url == "file:///dir/b")
  }

  @Test func aURLWithNothingToBeRelativeToStaysAsItIs() {
    #expect(URLRequest(url: "a/b?c").url?.absoluteString == "a/b?c")
    var request = URLRequest(url: "http://a/")
    request.url = nil
    request.mainDocumentURL = nil
    #expect(request.url == nil && request.mainDocumentURL == nil)
  }

  @Test func sixtySecondsAskedForAreExplicit() {
    #expect(URLRequest(url: "http://a/", timeoutInterval: 60).explicitTimeoutInterval == 60)
    #expect(URLRequest(url: "http://a/", cachePolicy: .returnCacheDataDontLoad).explicitTimeoutInterval == nil)
    var request = URLRequest(url: "http://a/")
    request.timeoutInterval = 60
    #expect(request.explicitTimeoutInterval == 60)
    #expect(request == URLRequest(url: "http://a/"))
  }

  @Test(arguments: [
    (nil, "GET"), ("", "GET"), ("get", "GET"), ("Post", "POST"), ("delete", "DELETE"), ("patch", "patch"),
    ("trace", "trace"), ("connect", "connect"), ("Propfind", "Propfind"), ("PURGE", "PURGE"),
  ])
  func methods(set: String?, read: String) {
    var request = URLRequest(url: "http://a/")
    request.httpMethod = "PUT"
    request.httpMethod = set
    #expect(request.httpMethod == read)
  }

  @Test func headerFields() {
    var request = URLRequest(url: "http://a/")
    request.setValue("text/html", forHTTPHeaderField: "Accept")
    request.addValue("text/plain", forHTTPHeaderField: "ACCEPT")
    request.addValue("1", forHTTPHeaderField: "X-New")
    #expect(request.value(forHTTPHeaderField: "accept") == "text/html,text/plain")
    #expect(request.allHTTPHeaderFields == ["Accept": "text/html,text/plain", "X-New": "1"])
    request.setValue(nil, forHTTPHeaderField: "aCCEPT")
    #expect(request.allHTTPHeaderFields == ["X-New": "1"])
    request.allHTTPHeaderFields = ["A": "1"]
    #expect(request.allHTTPHeaderFields == ["A": "1"])
    request.allHTTPHeaderFields = nil
    #expect(request.allHTTPHeaderFields == nil)
  }

  @Test func aDictionaryWithTwoSpellingsGivesOneField() {
    var request = URLRequest(url: "http://a/")
    request.allHTTPHeaderFields = ["X-A": "upper", "x-a": "lower"]
    #expect(request.allHTTPHeaderFields?.count == 1)
    #expect(request.value(forHTTPHeaderField: "X-A") == "lower")
  }

  @Test func bodyAndStreamExcludeEachOther() {
    var request = URLRequest(url: "http://a/")
    request.httpBody = Data("x".utf8)
    let stream = InputStream(data: Data())
    request.httpBodyStream = stream
    #expect(request.httpBody == nil && request.httpBodyStream === stream)
    request.httpBody = Data("y".utf8)
    #expect(request.httpBodyStream == nil && request.httpBody == Data("y".utf8))
    request.httpBodyStream = nil
    #expect(request.httpBody == nil)
  }

  @Test func copiesAreIndependent() {
    var first = URLRequest(url: "http://a/")
    first.setValue("1", forHTTPHeaderField: "A")
    var second = first
    second.setValue("2", forHTTPHeaderField: "A")
    second.url = "http://b/"
    second.setProtocolProperty(1, forKey: "k")
    #expect(first.value(forHTTPHeaderField: "A") == "1")
    #expect(first.url == "http://a/")
    #expect(first.protocolProperty(forKey: "k") == nil)
  }

  @Test func equalityAndHash() {
    let make = { (change: (inout URLRequest) -> Void) -> URLRequest in
      var request = URLRequest(url: "http://a/")
      change(&request)
      return request
    }
    let plain = make { _ in }
    #expect(plain == make { _ in })
    #expect(plain.hashValue == make { _ in }.hashValue)
    let different = [
      make { $0.url = "http://b/" }, make { $0.httpMethod = "POST" }, make { $0.httpBody = Data() },
      make { $0.setValue("1", forHTTPHeaderField: "A") }, make { $0.timeoutInterval = 1 },
      make { $0.cachePolicy = .returnCacheDataElseLoad }, make { $0.mainDocumentURL = "http://c/" },
      make { $0.httpShouldHandleCookies = false }, make { $0.networkServiceType = .background },
      make { $0.httpBodyStream = InputStream(data: Data()) },
    ]
    for request in different {
      #expect(request != plain)
    }
    #expect(make { $0.setProtocolProperty(1, forKey: "k") } == plain)
  }

  @Test func describesItself() {
    #expect("\(URLRequest(url: "http://a/b"))" == "http://a/b")
    var request = URLRequest(url: "http://a/")
    request.url = nil
    #expect("\(request)" == "url: nil")
    #expect(Mirror(reflecting: request).children.contains { $0.label == "httpMethod" })
  }

  @Test func policiesHaveApplesRawValues() {
    #expect(NSURLRequest.CachePolicy.reloadIgnoringCacheData == .reloadIgnoringLocalCacheData)
    #expect(NSURLRequest.CachePolicy.reloadRevalidatingCacheData.rawValue == 5)
    #expect(NSURLRequest.NetworkServiceType.networkServiceTypeCallSignaling.rawValue == 11)
    #expect(NSURLRequest.NetworkServiceType.callSignaling == .networkServiceTypeCallSignaling)
  }

  /// What FoundationNetworking has no case for stands for the nearest of those that it has, by its raw value, too.
  @Test func furtherKindsOfTrafficStandForTheNearest() {
    typealias Kind = NSURLRequest.NetworkServiceType
    #expect(Kind.responsiveData == .default && Kind.avStreaming == .video && Kind.responsiveAV == .video)
    #expect((0...12).map { Kind(rawValue: $0)?.rawValue } == [0, 1, 2, 3, 4, 11, 0, nil, 2, 2, nil, 11, nil])
  }

  @Test func theFactsFollowTheURL() throws {
    var request = URLRequest(url: try #require(URL(string: "http://example.org/")))
    let copy = request
    #expect(request.urlFacts.isHTTP)
    request.url = URL(string: "file:///etc/hosts")
    #expect(!request.urlFacts.isHTTP)
    #expect(request.urlFacts.text == "file:///etc/hosts")
    request.url = nil
    #expect(request.urlFacts.text.isEmpty)
    #expect(copy.urlFacts.text == "http://example.org/")
    let bridged = NSURLRequest(url: try #require(copy.url)) as URLRequest
    #expect(bridged.urlFacts.isHTTP)
  }
}
