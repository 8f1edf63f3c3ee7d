import Foundation
import Testing

@testable import URLLoading

@Suite struct CachedURLResponseTests {
  @Test func holdsWhatItIsGiven() {
    let response = URLResponse(url: "http://a/", mimeType: nil, expectedContentLength: 1, textEncodingName: nil)
    let cached = CachedURLResponse(response: response, data: Data("x".utf8))
    #expect(cached.response === response && cached.data == Data("x".utf8))
    #expect(cached.userInfo == nil && cached.storagePolicy == .allowed)
    #expect(cached.copy() as? CachedURLResponse == cached)
    #expect(
      cached == CachedURLResponse(response: response, data: Data("x".utf8), userInfo: ["a": 1], storagePolicy: .allowed)
    )
    #expect(cached != CachedURLResponse(response: response, data: Data("y".utf8)))
    #expect(cached != CachedURLResponse(response: response, data: Data("x".utf8), storagePolicy: .notAllowed))
  }

  @Test func archives() throws {
    let http = try #require(
      HTTPURLResponse(url: "http://a/", statusCode: 203, httpVersion: nil, headerFields: ["ETag": "\"x\""]))
    let plain = URLResponse(url: "ftp://a/b", mimeType: "text/plain", expectedContentLength: 1, textEncodingName: nil)
    for response in [http, plain] {
      let cached = CachedURLResponse(
        response: response, data: Data("x".utf8), userInfo: ["kept": ["a", 1], "object": NSObject(), 5: "number"],
        storagePolicy: .allowedInMemoryOnly)
      let back = try #require(try archivedAndBack(cached))
      #expect(back == cached && back.response == response && type(of: back.response) == type(of: response))
      #expect(back.userInfo?.count == 1 && (back.userInfo?["kept"] as? [Any])?.count == 2)
    }
    #expect(try archivedAndBack(CachedURLResponse(response: plain, data: Data()))?.userInfo == nil)
    #expect(CachedURLResponse.supportsSecureCoding)
  }

  @Test func describesItself() {
    let response = URLResponse(
      url: "http://me:secret@a/", mimeType: nil, expectedContentLength: 1, textEncodingName: nil)
    let text = "\(CachedURLResponse(response: response, data: Data("body".utf8)))"
    #expect(text.contains("4 bytes") && text.contains("allowed") && !text.contains("secret"))
  }
}
