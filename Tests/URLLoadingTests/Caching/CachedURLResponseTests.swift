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
}
