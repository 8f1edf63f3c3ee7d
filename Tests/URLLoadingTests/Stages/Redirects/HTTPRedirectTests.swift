import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoading

@Suite struct HTTPRedirectTests {
  private func redirect(
    _ status: Int = 302, to location: String?, from url: String = "http://example.org/a/b?q", method: String = "GET",
    fields: [(name: String, value: String)] = [], hasBody: Bool = false
  ) throws -> HTTPRedirect {
    HTTPRedirect(
      status: status, location: location, url: try #require(URL(string: url)), method: method, fields: fields,
      hasBody: hasBody)
  }

  private func target(
    _ status: Int = 302, to location: String, from url: String = "http://example.org/a/b?q", method: String = "GET",
    fields: [(name: String, value: String)] = [], hasBody: Bool = false
  ) throws -> HTTPRedirect.Target {
    let result = try redirect(status, to: location, from: url, method: method, fields: fields, hasBody: hasBody)
    guard case .follow(let target) = result else {
      Issue.record("\(location) gave \(result)")
      throw CancellationError()
    }
    return target
  }

  @Test(arguments: [
    (301, "GET", "GET", true), (301, "HEAD", "HEAD", true), (301, "POST", "GET", false), (301, "PUT", "PUT", true),
    (302, "POST", "GET", false), (302, "DELETE", "DELETE", true), (302, "post", "post", true),
    (303, "GET", "GET", true), (303, "HEAD", "HEAD", true), (303, "POST", "GET", false), (303, "PUT", "GET", false),
    (307, "POST", "POST", true), (308, "POST", "POST", true), (308, "PATCH", "PATCH", true),
  ])
  func methods(status: Int, method: String, newMethod: String, keepsBody: Bool) throws {
    let fields: [(name: String, value: String)] = [
      ("content-type", "a/b"), ("Content-Length", "3"), ("Content-Encoding", "gzip"), ("Content-Digest", "x"),
      ("Transfer-Encoding", "chunked"), ("Accept", "*/*"), ("Authorization", "Basic eA=="),
    ]
    let result = try target(status, to: "/x", method: method, fields: fields, hasBody: true)
    #expect(result.method == newMethod)
    #expect(result.keepsBody == keepsBody)
    let expected = keepsBody ? [] : fields.prefix(5).map(\.name)
    #expect(result.droppedFields == expected)
    #expect(try target(status, to: "/x", method: method).keepsBody == false)
  }

  @Test(arguments: [200, 201, 204, 300, 304, 305, 306, 309, 399, 404, 0, -1])
  func otherStatuses(status: Int) throws {
    #expect(try redirect(status, to: "/x") == .notARedirect)
  }

  @Test(arguments: [nil, "", "  ", "\t\r\n"])
  func noLocation(location: String?) throws {
    #expect(try redirect(to: location) == .notARedirect)
  }

  @Test(arguments: ["http://", "http:///x", "https:", "http:x", "http://[::1", "http://a:b:c/", "https://:80/"])
  func invalidLocations(location: String) throws {
    #expect(try redirect(to: location) == .invalidLocation(location))
  }

  @Test(arguments: [
    ("http://other/x", "http://other/x"), ("//other/x", "http://other/x"), ("/x", "http://example.org/x"),
    ("c", "http://example.org/a/c"), ("../c", "http://example.org/c"), ("../../../c", "http://example.org/c"),
    ("./", "http://example.org/a/"), ("?z", "http://example.org/a/b?z"), ("#f", "http://example.org/a/b?q#f"),
    ("  /x \t", "http://example.org/x"), ("/a b", "http://example.org/a%20b"), ("/\ta\nb", "http://example.org/ab"),
    ("/é", "http://example.org/%C3%A9"), ("/Ã©", "http://example.org/%C3%A9"), ("/日", "http://example.org/%E6%97%A5"),
    ("/%zz", "http://example.org/%25zz"), ("/%41", "http://example.org/%41"), ("/%", "http://example.org/%25"),
    ("/a\"<>\\^`{|}", "http://example.org/a%22%3C%3E%5C%5E%60%7B%7C%7D"), ("/a\u{1}b", "http://example.org/a%01b"),
    ("file:///etc/passwd", "file:///etc/passwd"), ("data:,x", "data:,x"), ("custom:x", "custom:x"),
    ("http://[::1]:8080/x", "http://[::1]:8080/x"), ("HTTP://EXAMPLE.org/x", "HTTP://EXAMPLE.org/x"),
    ("http://bücher.example/ü", "http://xn--bcher-kva.example/%C3%BC"), ("/a:b", "http://example.org/a:b"),
  ])
  func resolution(location: String, url: String) throws {
    #expect(try target(to: location).url.absoluteString == url)
  }

  @Test func resolvesAgainstABareHost() throws {
    #expect(try target(to: "x", from: "http://example.org").url.absoluteString == "http://example.org/x")
  }

  @Test func resolvesAgainstARelativeURL() throws {
    let base = try #require(URL(string: "b/c#f", relativeTo: URL(string: "http://example.org/a/")))
    let result = HTTPRedirect(status: 302, location: "d", url: base, method: "GET", fields: [], hasBody: false)
    guard case .follow(let target) = result else {
      Issue.record("\(result)")
      return
    }
    #expect(target.url.absoluteString == "http://example.org/a/b/d#f")
  }

  @Test(arguments: [("/x", "http://h/x#top"), ("/x#", "http://h/x#"), ("/x#own", "http://h/x#own")])
  func fragments(location: String, url: String) throws {
    #expect(try target(to: location, from: "http://h/a#top").url.absoluteString == url)
    #expect(try target(to: "/x", from: "http://h/a#a%20b").url.absoluteString == "http://h/x#a%20b")
  }

  private static let secrets: [(name: String, value: String)] = [
    ("AUTHORIZATION", "x"), ("Cookie", "x"), ("Proxy-Authorization", "x"), ("Host", "x"), ("X-Mine", "x"),
  ]

  @Test(arguments: [
    ("http://example.org/a", "/x"), ("http://example.org/a", "http://EXAMPLE.ORG:80/x"),
    ("https://example.org:443/a", "https://example.org/x"), ("http://example.org:8080/a", "//example.org:8080/x"),
  ])
  func sameOriginKeepsCredentials(from: String, location: String) throws {
    #expect(try target(to: location, from: from, fields: Self.secrets).droppedFields.isEmpty)
  }

  @Test(arguments: [
    ("http://example.org/a", "http://www.example.org/x"), ("https://example.org/a", "http://example.org/x"),
    ("http://example.org/a", "https://example.org/x"), ("http://example.org/a", "http://example.org:8080/x"),
    ("http://example.org/a", "//user:password@other/x"), ("http://user:password@example.org/a", "//other/x"),
  ])
  func otherOriginLosesCredentials(from: String, location: String) throws {
    let result = try target(to: location, from: from, fields: Self.secrets)
    #expect(result.droppedFields == ["AUTHORIZATION", "Cookie", "Proxy-Authorization", "Host"])
    #expect(result.url.user == nil && result.url.password == nil)
    #expect(!result.url.absoluteString.contains("password"))
  }

  @Test func noiseNeverTrapsAndHasNoControls() throws {
    var random = SeededGenerator(seed: 6)
    let alphabet = Array("http:/?#[]@%2F. \\é日\u{0}\n\u{7F}\u{FF}".unicodeScalars)
    for _ in 0..<20_000 {
      var text = ["", "http://", "//", "https://h/"].randomElement(using: &random) ?? ""
      for _ in 0..<Int.random(in: 0...20, using: &random) {
        text.unicodeScalars.append(alphabet.randomElement(using: &random) ?? "x")
      }
      if case .follow(let target) = try redirect(to: text) {
        #expect(target.url.absoluteString.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "\(text)")
      }
    }
  }

  @Test func delegatesAreShownAResponseOfHTTP() throws {
    let (url, target) = (try #require(URL(string: "a:b")), try #require(URL(string: "http://example.org/")))
    let response = URLResponse(url: url, mimeType: nil, expectedContentLength: 0, textEncodingName: nil)
    let shown = HTTPRedirect.response(to: URLRequest(url: target), for: response)
    #expect(shown.statusCode == 302 && shown.url == url)
    #expect(shown.value(forHTTPHeaderField: "Location") == "http://example.org/")
    #expect(HTTPRedirect.response(to: URLRequest(url: url), for: shown) === shown)
  }
}
