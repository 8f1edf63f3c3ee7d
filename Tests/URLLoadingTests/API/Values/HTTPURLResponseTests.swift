import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoading

@Suite struct HTTPURLResponseTests {
  private func response(_ status: Int = 200, _ fields: [(name: String, value: String)]) -> HTTPURLResponse {
    HTTPURLResponse(
      url: "http://example.org/path/file.bin", statusCode: status, httpVersion: "HTTP/1.1", fields: fields)
  }

  @Test func publicInitialiser() throws {
    let response = try #require(
      HTTPURLResponse(
        url: "http://a/", statusCode: 404, httpVersion: "HTTP/1.1",
        headerFields: ["Content-Type": "text/html; charset=UTF-8", "content-length": "12"]))
    #expect(response.statusCode == 404)
    #expect(response.mimeType == "text/html" && response.textEncodingName == "utf-8")
    #expect(response.expectedContentLength == 12)
    #expect(response.value(forHTTPHeaderField: "CONTENT-LENGTH") == "12")
  }

  @Test func repeatedFieldsAreJoinedAndCookiesKeptApart() {
    let response = response(
      200,
      [
        ("Via", "1.1 a"), ("Set-Cookie", "a=1; Expires=Wed, 09 Jun 2100 10:18:14 GMT"), ("via", "1.1 b"),
        ("set-cookie", "b=2, c=3"),
      ])
    #expect(response.value(forHTTPHeaderField: "VIA") == "1.1 a, 1.1 b")
    #expect(response.setCookieValues == ["a=1; Expires=Wed, 09 Jun 2100 10:18:14 GMT", "b=2, c=3"])
    #expect(
      response.allHeaderFields["Set-Cookie"] as? String
        == "a=1; Expires=Wed, 09 Jun 2100 10:18:14 GMT, b=2, c=3")
    #expect(response.allHeaderFields["Via"] as? String == "1.1 a, 1.1 b")
  }

  @Test func theReceivedHeadIsAsItCame() {
    final class Teapot: HTTPURLResponse, @unchecked Sendable {
      override var statusCode: Int { 418 }
      override var allHeaderFields: [AnyHashable: Any] { [:] }
    }
    let response = Teapot(
      url: "http://a/", statusCode: 200, httpVersion: "HTTP/2",
      fields: [("etag", "1"), ("Via", "1.1 a"), ("X-Own", ""), ("via", "1.1 b")])
    let head = HTTPURLResponse.ReceivedHead(response)
    #expect(head.httpVersion == "HTTP/2")
    #expect(head.statusCode == 200)
    #expect(head.fields.map { "\($0.name): \($0.value)" } == ["etag: 1", "Via: 1.1 a", "X-Own: ", "via: 1.1 b"])
  }

  @Test func aJoinedDictionaryValueIsTakenApart() throws {
    let joined = "a=1; Expires=Wed, 09 Jun 2100 10:18:14 GMT, b=2"
    let response = try #require(
      HTTPURLResponse(url: "http://a/", statusCode: 200, httpVersion: nil, headerFields: ["Set-Cookie": joined]))
    #expect(response.setCookieValues == ["a=1; Expires=Wed, 09 Jun 2100 10:18:14 GMT", "b=2"])
    #expect(response.allHeaderFields["Set-Cookie"] as? String == joined)
  }

  @Test func knownNamesHaveTheirUsualSpellingWhateverCameAndOthersTheServers() throws {
    let received = response(
      200, [("content-type", "a/b"), ("x-custom", "1"), ("cONTENT-lENGTH", "2"), ("etag", "\"x\""), ("X-OWN", "3")])
    #expect(
      Set(received.allHeaderFields.keys.compactMap { $0 as? String })
        == ["Content-Type", "x-custom", "Content-Length", "ETag", "X-OWN"])
    let made = try #require(
      HTTPURLResponse(
        url: "http://a/", statusCode: 200, httpVersion: nil,
        headerFields: ["Content-type": "a/b", "X-custom": "1", "CONTENT-LENGTH": "2"]))
    #expect(made.allHeaderFields["Content-Type"] as? String == "a/b")
    #expect(made.allHeaderFields["Content-Length"] as? String == "2" && made.allHeaderFields["X-custom"] != nil)
  }

  @Test func aNameInSeveralSpellingsIsOneField() {
    let fields = response(200, [("VIA", "1"), ("via", "2"), ("Via", "3")]).allHeaderFields
    #expect(fields.count == 1 && fields["Via"] as? String == "1, 2, 3")
  }

  @Test(arguments: [
    "ETag", "WWW-Authenticate", "TE", "DNT", "Content-MD5", "P3P", "X-XSS-Protection", "Sec-WebSocket-Accept",
    "Sec-WebSocket-Key", "X-Frame-Options", "X-UA-Compatible", "X-Request-ID", "SourceMap", "NEL", "Expect-CT",
    "Content-Disposition", "Cross-Origin-Opener-Policy", "Server-Timing", "HTTP2-Settings", "X-RateLimit-Limit",
  ])
  func usualSpellings(_ name: String) {
    for spelling in [name.lowercased(), name.uppercased(), name.capitalized] {
      let fields = response(200, [(spelling, "1")]).allHeaderFields
      #expect(fields.keys.first as? String == name, "\(spelling)")
    }
  }

  @Test func aLengthThatSomebodyGaveIsTold() throws {
    for fields in [
      ["Content-Encoding": "gzip"], ["Transfer-Encoding": "chunked"],
      ["Content-Encoding": "br", "transfer-encoding": "x"],
    ] {
      let made = try #require(
        HTTPURLResponse(
          url: "http://a/", statusCode: 200, httpVersion: nil,
          headerFields: fields.merging(["Content-Length": "42"]) { $1 }))
      #expect(made.expectedContentLength == 42, "\(fields)")
      let copy = try #require(try archivedAndBack(made))
      #expect(copy.expectedContentLength == 42 && copy == made)
      let without = try #require(
        HTTPURLResponse(url: "http://a/", statusCode: 200, httpVersion: nil, headerFields: fields))
      #expect(without.expectedContentLength == -1)
    }
    let received = response(200, [("Content-Length", "42"), ("Content-Encoding", "gzip")])
    #expect(try archivedAndBack(received)?.expectedContentLength == -1)
  }

  @Test(
    arguments: [
      ("text/html", "text/html", nil), ("Text/HTML;Charset=\"UTF-8\"", "text/html", "utf-8"),
      (" text/plain ; a=b ; charset=iso-8859-1 ", "text/plain", "iso-8859-1"),
      ("text/html;charset='utf-8'", "text/html", "utf-8"), ("text/html; charset=", "text/html", nil),
      ("text/html; charset", "text/html", nil), ("text/html;;;charset=x", "text/html", "x"),
      ("image/svg+xml", "image/svg+xml", nil), ("text", nil, nil), ("", nil, nil), ("/", nil, nil), ("text/", nil, nil),
      ("text/html; x=\"charset=no; charset=no\"; charset=yes", "text/html", "yes"),
      ("text/html; charset=\"unterminated", "text/html", "unterminated"), ("text /html", nil, nil),
      ("é/è", nil, nil),
    ] as [(String, String?, String?)])
  func contentTypes(field: String, type: String?, charset: String?) {
    let response = response(200, [("Content-Type", field)])
    #expect(response.mimeType == type)
    #expect(response.textEncodingName == charset)
  }

  @Test(
    arguments: [
      ([("Content-Length", "42")], 42), ([], -1), ([("Content-Length", "42"), ("Content-Encoding", "gzip")], -1),
      ([("Content-Length", "42"), ("Content-Encoding", "identity")], 42),
      ([("Content-Length", "42"), ("Transfer-Encoding", "chunked")], -1), ([("Content-Length", "-1")], -1),
      ([("Content-Length", "+1")], -1), ([("Content-Length", "1e3")], -1), ([("Content-Length", "0x10")], -1),
      ([("Content-Length", "9223372036854775807")], .max), ([("Content-Length", "9223372036854775808")], -1),
      ([("Content-Length", "42"), ("Content-Length", "42")], 42), ([("Content-Length", "42, 42")], 42),
      ([("Content-Length", "42"), ("Content-Length", "43")], -1), ([("Content-Length", "")], -1),
      ([("Content-Length", " 7 ")], 7), ([("Content-Length", "٤٢")], -1),
    ] as [([(name: String, value: String)], Int64)])
  func lengths(fields: [(name: String, value: String)], expected: Int64) {
    #expect(response(200, fields).expectedContentLength == expected)
  }

  @Test func partialResponses() {
    let range = [(name: "Content-Range", value: "bytes 10-19/100")]
    #expect(response(206, range).contentRange == ContentRange(firstByte: 10, lastByte: 19, completeLength: 100))
    #expect(response(206, range).expectedContentLength == 10)
    #expect(response(206, range).acceptsByteRanges)
    #expect(response(200, range).contentRange == nil)
    #expect(response(206, [("Content-Range", "nonsense")]).contentRange == nil)
    #expect(response(206, [("Content-Range", "bytes 0-9223372036854775807/*")]).expectedContentLength == -1)
  }

  @Test(arguments: [("bytes", true), ("none", false), ("Bytes", true), ("x, bytes", true), ("bytesx", false)])
  func acceptRanges(field: String, expected: Bool) {
    #expect(response(200, [("Accept-Ranges", field)]).acceptsByteRanges == expected)
    #expect(!response(200, []).acceptsByteRanges)
  }

  @Test(arguments: [
    ("attachment; filename=\"a b.txt\"", "a b.txt"), ("attachment; filename=a.txt", "a.txt"),
    ("attachment; filename=my file.txt; x=y", "my file.txt"),
    ("attachment; filename=\"plain.txt\"; filename*=UTF-8''%e2%82%ac%20rates.txt", "€ rates.txt"),
    ("attachment; filename*=iso-8859-1'en'%A3.txt", "£.txt"),
    ("attachment; filename*=UTF-8''%ff%fe; filename=fallback.txt", "fallback.txt"),
    ("attachment; filename*=UTF-8''%e; filename=fallback.txt", "fallback.txt"),
    ("attachment; filename*=koi8-r''x; filename=fallback.txt", "fallback.txt"),
    ("attachment; filename=\"../../../etc/passwd\"", "passwd"),
    ("attachment; filename*=UTF-8''..%2F..%2Fx.sh", "x.sh"), ("attachment; filename=\"..\"", "file.bin"),
    ("attachment; filename=\"a\\\"b.txt\"", "a\"b.txt"), ("attachment", "file.bin"), ("", "file.bin"),
    ("filename=bare.txt", "bare.txt"), ("attachment; filename=\"open", "open"), (";;;=;\"", "file.bin"),
    ("attachment; filename*=UTF-8''a%00b.txt", "ab.txt"), ("inline; FileName=\"Case.txt\"", "Case.txt"),
  ])
  func suggestedFilenames(field: String, expected: String) {
    #expect(response(200, [("Content-Disposition", field)]).suggestedFilename == expected)
  }

  @Test func validators() {
    let date = "Sun, 06 Nov 1994 08:49:37 GMT"
    let strong = response(200, [("ETag", "\"x\""), ("Last-Modified", date), ("Date", "Sun, 06 Nov 1994 08:49:38 GMT")])
    #expect(strong.validators.ifRangeValue == "\"x\"")
    let weak = response(200, [("ETag", "W/\"x\""), ("Last-Modified", date), ("Date", "Sun, 06 Nov 1994 08:49:38 GMT")])
    #expect(weak.validators.entityTag == "W/\"x\"" && !weak.validators.isStrong)
    let dated = response(200, [("Last-Modified", date), ("Date", "Sun, 06 Nov 1994 08:49:38 GMT")])
    #expect(dated.validators.ifRangeValue == date)
    #expect(!response(200, [("Last-Modified", date), ("Date", date)]).validators.isStrong)
    #expect(!response(200, [("Last-Modified", date)]).validators.isStrong)
    #expect(response(200, [("ETag", " "), ("Last-Modified", "never")]).validators.isEmpty)
  }

  @Test func copiesComparesAndArchives() throws {
    let original = response(
      206, [("A", "1"), ("Set-Cookie", "a=1"), ("Set-Cookie", "b=2"), ("Content-Range", "bytes 0-0/1")])
    let back = try #require(try archivedAndBack(original))
    #expect(back == original && back.setCookieValues == ["a=1", "b=2"] && back.contentRange == original.contentRange)
    #expect(original.copy() as? HTTPURLResponse === original)
    #expect(response(200, []) != response(201, []))
    #expect(response(200, [("A", "1")]) != response(200, [("A", "2")]))
    #expect(response(200, [("A", "1")]) == response(200, [("a", "1")]))
  }

  @Test(arguments: [
    (200, "no error"), (404, "not found"), (299, "success"), (418, "client error"), (599, "server error"),
    (-1, "server error"), (.max, "server error"), (150, "informational"), (399, "redirected"),
  ])
  func statusTexts(status: Int, text: String) {
    #expect(HTTPURLResponse.localizedString(forStatusCode: status) == text)
  }

  @Test func survivesAnyField() {
    var random = SeededGenerator(seed: 4)
    let names = [
      "Content-Type", "Content-Length", "Content-Range", "Content-Disposition", "ETag", "Last-Modified", "Date",
      "Accept-Ranges",
    ]
    let alphabet = Array("bytes -/*0123456789;=\"'\\,W%aé\u{0} utf-8filename")
    for _ in 0..<3000 {
      let fields = names.map { name in
        (
          name: name,
          value: String(
            (0..<Int.random(in: 0...30, using: &random)).map { _ in alphabet.randomElement(using: &random) ?? "x" })
        )
      }
      let response = response(206, fields)
      #expect(response.expectedContentLength >= -1)
      #expect(response.suggestedFilename?.isEmpty == false)
      if let range = response.contentRange {
        #expect(range.firstByte >= 0 && range.length > 0)
      }
      _ = (response.mimeType, response.textEncodingName, response.validators.ifRangeValue, response.acceptsByteRanges)
    }
  }
}
