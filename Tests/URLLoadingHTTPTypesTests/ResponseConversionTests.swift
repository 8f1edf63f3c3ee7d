import Foundation
import Testing
import URLLoading
import URLLoadingHTTPTypes

@Suite struct ResponseConversionTests {
  private let url = URL(filePath: "/")

  @Test func aResponseConverts() throws {
    let given = HTTPResponse(
      status: .init(code: 404, reasonPhrase: "Gone fishing"),
      headerFields: [.contentType: "text/html; charset=utf-8", .contentLength: "12", .vary: "A", .vary: "B"])
    let response = try #require(HTTPURLResponse(httpResponse: given, url: url))
    #expect(response.url == url)
    #expect(response.statusCode == 404)
    #expect(response.mimeType == "text/html")
    #expect(response.expectedContentLength == 12)
    #expect(response.value(forHTTPHeaderField: "Vary") == "A, B")
    #expect(response.httpResponse == given)
    #expect(response.httpResponse?.status.reasonPhrase == "")
  }

  @Test func cookiesStayApart() throws {
    let cookies = ["a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT", "b=2, c=3", "d=4"]
    var given = HTTPResponse(status: .ok)
    for cookie in cookies { given.headerFields.append(HTTPField(name: .setCookie, value: cookie)) }
    let response = try #require(HTTPURLResponse(httpResponse: given, url: url))
    #expect(response.httpResponse?.headerFields[values: .setCookie] == cookies)
  }

  @Test func cookiesOfADictionaryAreSplit() throws {
    let response = try #require(
      HTTPURLResponse(
        url: url, statusCode: 200, httpVersion: nil,
        headerFields: ["Set-Cookie": "a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT, d=4"]))
    #expect(
      response.httpResponse?.headerFields[values: .setCookie] == ["a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT", "d=4"])
  }

  @Test(arguments: [-1, 1000, Int.max, Int.min])
  func aStatusThatIsNoneHasNoResponse(_ code: Int) throws {
    let response = HTTPURLResponse(url: url, statusCode: code, httpVersion: nil, headerFields: nil)
    #expect(try #require(response).httpResponse == nil)
  }

  @Test func namesThatAreNoneAreLeftOut() throws {
    let response = HTTPURLResponse(
      url: url, statusCode: 200, httpVersion: nil,
      headerFields: [":status": "500", "no name": "1", "": "2", "Ünïcode": "3", "X-Test": "a\r\nInjected: b"])
    #expect(try #require(response).httpResponse?.headerFields == [try .named("X-Test"): "a  Injected: b"])
  }

  @Test func valuesThatAreNotUTF8AreLatin1() throws {
    var given = HTTPResponse(status: .ok)
    given.headerFields.append(HTTPField(name: .server, value: [0xFC]))
    let response = try #require(HTTPURLResponse(httpResponse: given, url: url))
    #expect(response.value(forHTTPHeaderField: "Server") == "ü")
    #expect(response.httpResponse?.headerFields[.server] == "ü")
  }

  @Test func aSubclassHasItsOwnFields() throws {
    final class Mock: HTTPURLResponse, @unchecked Sendable {
      override var allHeaderFields: [AnyHashable: Any] { ["X-Test": "mocked", "Set-Cookie": "a=1, b=2"] }
      override var statusCode: Int { 418 }
    }
    let response = try #require(Mock(url: url, statusCode: 200, httpVersion: nil, headerFields: ["Server": "real"]))
    #expect(response.httpResponse?.status.code == 418)
    #expect(
      response.httpResponse?.headerFields
        == [try .named("X-Test"): "mocked", .setCookie: "a=1", .setCookie: "b=2"])
  }
}
