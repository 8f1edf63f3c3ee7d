import Foundation
import Testing

@testable import URLLoading

@Suite struct URLResponseTests {
  @Test func applesInitialiser() {
    let response = URLResponse(
      url: "http://a/file.txt", mimeType: "text/plain", expectedContentLength: 5, textEncodingName: "utf-8")
    #expect(response.url == "http://a/file.txt")
    #expect(response.mimeType == "text/plain")
    #expect(response.expectedContentLength == 5)
    #expect(response.textEncodingName == "utf-8")
    #expect(response.suggestedFilename == "file.txt")
    #expect(response.contentRange == nil && response.validators.isEmpty && !response.acceptsByteRanges)
  }

  @Test func relativeURLsBecomeAbsolute() throws {
    let url = try #require(URL(string: "b/", relativeTo: "http://example.org/dir/a"))
    let responses = [
      URLResponse(url: url, mimeType: nil, expectedContentLength: 5, textEncodingName: nil),
      URLResponse(url: url, mimeType: nil, expectedContentLength: Int64(5), textEncodingName: nil),
      try #require(HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: nil)),
    ]
    for response in responses {
      #expect(response.url?.baseURL == nil && response.url == "http://example.org/dir/b/")
    }
    #expect(try archivedAndBack(responses[0]) == responses[0])
  }

  private func full(_ tag: String = "\"t\"") -> URLResponse {
    URLResponse(
      url: "my:resource", mimeType: "text/plain", expectedContentLength: Int64(10), textEncodingName: nil,
      contentRange: ContentRange(firstByte: 5, lastByte: 14, completeLength: 20),
      validators: ResourceValidators(entityTag: tag, lastModified: Date(timeIntervalSince1970: 1000)),
      acceptsByteRanges: true, suggestedFilename: "../../etc/passwd")
  }

  @Test func theInitialiserForPlugins() throws {
    let response = full()
    #expect(response.contentRange?.fieldValue == "bytes 5-14/20")
    #expect(response.validators.entityTag == "\"t\"")
    #expect(response.acceptsByteRanges)
    #expect(response.suggestedFilename == "passwd")
  }

  @Test func copiesComparesAndArchives() throws {
    let response = full()
    #expect(response.copy() as? URLResponse === response)
    #expect(full() == response)
    #expect(full().hash == response.hash)
    #expect(full("\"u\"") != response)
    #expect(try archivedAndBack(response) == response)
    let http = try #require(HTTPURLResponse(url: "my:resource", statusCode: 200, httpVersion: nil, headerFields: nil))
    #expect(response != http && http != response)
  }

  @Test func lengthsBelowMinusOneAreUnknown() {
    let response = URLResponse(url: "a:b", mimeType: nil, expectedContentLength: -7, textEncodingName: nil)
    #expect(response.expectedContentLength == -1)
  }
}
