import Foundation
import Testing

@testable import URLLoading

@Suite struct HTTPCookieTests {
  private func cookie(_ changes: [HTTPCookiePropertyKey: Any?] = [:]) -> HTTPCookie? {
    var properties: [HTTPCookiePropertyKey: Any] = [.name: "n", .value: "v", .path: "/", .domain: "Example.org"]
    for (key, value) in changes { properties[key] = value }
    return HTTPCookie(properties: properties)
  }

  @Test func fromProperties() throws {
    let plain = try #require(cookie())
    #expect(plain.name == "n" && plain.value == "v" && plain.path == "/" && plain.domain == "example.org")
    #expect(!plain.isSecure && !plain.isHTTPOnly && plain.isSessionOnly && plain.expiresDate == nil)
    #expect(plain.version == 0 && plain.portList == nil && plain.sameSitePolicy == nil && plain.comment == nil)
    let date = Date(timeIntervalSince1970: 4_000_000_000)
    let full = try #require(
      cookie([
        .secure: "TRUE", .expires: date, .version: "1", .port: "80, 443",
        .sameSitePolicy: HTTPCookieStringPolicy.sameSiteStrict,
        .comment: "c", .commentURL: "http://c/", HTTPCookiePropertyKey("HttpOnly"): true,
      ]))
    #expect(full.isSecure && full.isHTTPOnly && !full.isSessionOnly && full.expiresDate == date)
    #expect(full.version == 1 && full.portList == [80, 443] && full.sameSitePolicy == .sameSiteStrict)
    #expect(full.comment == "c" && full.commentURL == "http://c/")
    #expect(HTTPCookie(properties: try #require(full.properties)) == full)
    #expect(HTTPCookie(properties: try #require(plain.properties)) == plain)
  }

  @Test func required() {
    #expect(cookie([.name: nil as Any?]) == nil)
    #expect(cookie([.value: nil as Any?]) == nil)
    #expect(cookie([.path: nil as Any?]) == nil)
    #expect(cookie([.domain: nil as Any?]) == nil)
    #expect(cookie([.domain: nil as Any?, .originURL: "http://Origin.example/x"])?.domain == "origin.example")
    #expect(cookie([.domain: nil as Any?, .originURL: URL(fileURLWithPath: "/")]) == nil)
    #expect(cookie([.name: 5]) == nil)
  }

  @Test(
    arguments: [
      [.name: "a;b"], [.name: "a=b"], [.name: "a\r\nX: y"], [.value: "v; Secure"], [.value: "v\r\nSet-Cookie: x=y"],
      [.value: "v\0"],
      [.name: "", .value: ""], [.path: "/;x"], [.domain: "."], [.domain: ""],
    ] as [[HTTPCookiePropertyKey: String]])
  func whatWouldBreakOutOfTheFieldIsRefused(changes: [HTTPCookiePropertyKey: String]) {
    #expect(cookie(changes) == nil)
  }

  @Test func times() {
    #expect(cookie([.version: 1, .maximumAge: "60"])?.isSessionOnly == false)
    #expect(cookie([.version: "1", .maximumAge: 60, .discard: "TRUE"])?.isSessionOnly == true)
    #expect(cookie([.version: "1", .maximumAge: "0"])?.isExpired(at: Date()) == true)
    #expect(cookie([.version: "1", .maximumAge: "1e400"])?.isSessionOnly == true)
    #expect(
      cookie([.expires: "Sun, 06 Nov 1994 08:49:37 GMT"])?.expiresDate == Date(timeIntervalSince1970: 784_111_777))
  }

  @Test func theMaximumAgeCountsForVersionOneOnly() throws {
    let date = Date(timeIntervalSince1970: 4_000_000_000)
    for version in [nil, "0", 0, "2"] as [Any?] {
      #expect(cookie([.version: version, .maximumAge: "60"])?.isSessionOnly == true)
      #expect(cookie([.version: version, .maximumAge: "60", .expires: date])?.expiresDate == date)
      #expect(cookie([.version: version, .maximumAge: "0"])?.isExpired(at: Date()) == false)
    }
    let both = try #require(cookie([.version: "1", .maximumAge: "60", .expires: date])?.expiresDate)
    #expect(abs(both.timeIntervalSinceNow - 60) < 30)
  }

  @Test(arguments: ["TRUE", "YES", "FALSE", "", true, false, 1, 0, "x"[...], Date()] as [any Sendable])
  func anyValueForSecureMeansSecure(_ value: any Sendable) throws {
    let secure = try #require(cookie([.secure: value]))
    #expect(secure.isSecure && secure.properties?[.secure] as? String == "TRUE")
    #expect(cookie()?.isSecure == false && cookie()?.properties?[.secure] == nil)
  }

  @Test(
    arguments: [
      ("TRUE", true), ("YES", true), ("FALSE", false), ("", false), (true, true), (false, false), (1, true), (0, false),
      ("TRUE"[...], true), ("FALSE"[...], false),
    ] as [(any Sendable, Bool)])
  func flags(value: any Sendable, expected: Bool) {
    #expect(cookie([HTTPCookiePropertyKey("HttpOnly"): value])?.isHTTPOnly == expected)
    #expect(cookie([.expires: Date.distantFuture, .discard: value])?.isSessionOnly == expected)
  }

  @Test func partsOfStringsAreTakenAsStringsAre() throws {
    let whole: [HTTPCookiePropertyKey: String] = [
      .name: "n", .value: "v", .path: "/p", .domain: ".Example.org", .version: "1", .maximumAge: "4000000000",
      .port: "80,443", .sameSitePolicy: "Strict", .comment: "c", .commentURL: "http://c/", .discard: "FALSE",
    ]
    let expected = try #require(HTTPCookie(properties: whole))
    let substrings = try #require(HTTPCookie(properties: whole.mapValues { "<\($0)>".dropFirst().dropLast() }))
    for key in [HTTPCookiePropertyKey.name, .value, .path, .domain, .version, .port, .comment] {
      #expect(substrings.properties?[key] as? String == expected.properties?[key] as? String, "\(key)")
    }
    #expect(substrings.commentURL == expected.commentURL && substrings.sameSitePolicy == .sameSiteStrict)
    #expect(!substrings.isSessionOnly && !expected.isSessionOnly)
    #expect(HTTPCookie(properties: whole.mapValues { NSString(string: $0) })?.portList == expected.portList)
    let fromURL = cookie([.domain: nil as Any?, .originURL: "<http://h/>".dropFirst().dropLast()])
    #expect(fromURL?.domain == "h")
    #expect(
      cookie([.expires: "Sun, 06 Nov 1994 08:49:37 GMT "[...].dropLast()])?.expiresDate
        == Date(timeIntervalSince1970: 784_111_777))
  }

  @Test func relativeURLsAreThoseOfTheirBase() throws {
    let base = try #require(URL(string: "https://www.Example.org/dir/"))
    let url = try #require(URL(string: "page", relativeTo: base))
    #expect(cookie([.domain: nil as Any?, .originURL: url])?.domain == "www.example.org")
    #expect(parse("a=b; Domain=example.org", url)?.domain == ".example.org")
    #expect(CookieOrigin(url)?.path == "/dir/page" && CookieOrigin(url)?.isSecure == true)
  }

  @Test func requestFields() throws {
    #expect(HTTPCookie.requestHeaderFields(with: []) == [:])
    let cookies = [cookie(), cookie([.name: "m", .value: "\"w\""]), cookie([.name: ""])].compactMap { $0 }
    #expect(HTTPCookie.requestHeaderFields(with: cookies) == ["Cookie": "n=v; m=\"w\"; v"])
  }

  private func parse(_ field: String, _ url: URL = "https://www.example.org/dir/page") -> HTTPCookie? {
    HTTPCookie.cookies(withResponseHeaderFields: ["set-cookie": field], for: url).first
  }

  @Test func fromResponses() {
    #expect(parse("a=b")?.domain == "www.example.org")
    #expect(parse("a=b")?.path == "/")
    #expect(parse("a=b; Domain=example.org; Path=/x")?.domain == ".example.org")
    #expect(parse("a=b; Domain=.EXAMPLE.org")?.domain == ".example.org")
    #expect(parse("a=b; Path=x")?.path == "/" && parse("a=b; Path=")?.path == "/")
    #expect(parse("a=b; Path=/dir")?.path == "/dir")
    let cookies = HTTPCookie.cookies(
      withResponseHeaderFields: ["Set-Cookie": "a=1; Expires=Wed, 09 Jun 2100 10:18:14 GMT, b=2; HttpOnly"],
      for: "http://h/")
    #expect(cookies.map(\.name) == ["a", "b"])
    #expect(cookies.map(\.isHTTPOnly) == [false, true])
    #expect(HTTPCookie.cookies(withResponseHeaderFields: ["Set-Cookie": "a=b"], for: "data:,x").isEmpty)
    #expect(HTTPCookie.cookies(withResponseHeaderFields: ["Cookie": "a=b"], for: "http://h/").isEmpty)
  }

  @Test(
    arguments: [
      ("a=b; Domain=com", "http://example.com/"), ("a=b; Domain=co.uk", "http://example.co.uk/"),
      ("a=b; Domain=other.org", "http://example.org/"), ("a=b; Domain=www.example.org", "http://example.org/"),
      ("a=b; Domain=ample.org", "http://example.org/"), ("a=b; Domain=3.4", "http://1.2.3.4/"),
      ("a=b; Domain=github.io", "http://user.github.io/"), ("__Secure-a=b", "https://h/"),
      ("__Host-a=b; Secure", "https://h/x/y"),
      ("__Host-a=b; Secure; Path=/; Domain=example.org", "https://example.org/"), ("__host-a=b; Path=/", "https://h/"),
      ("__Host-a=b; Secure; Path=/x", "https://h/"), ("=__Host-a=b", "https://h/"), ("__Secure-x", "https://h/"),
      ("a=b; Domain=bücher.de", "http://www.bücher.de/"),
    ] as [(String, URL)])
  func refusedFromAServer(field: String, url: URL) {
    #expect(parse(field, url) == nil)
  }

  @Test(
    arguments: [
      ("a=b; Domain=com", "http://com/", "com"), ("a=b; Domain=1.2.3.4", "http://1.2.3.4/", "1.2.3.4"),
      ("a=b; Domain=localhost", "http://localhost/", "localhost"), ("__Host-a=b; Secure; Path=/", "https://h/", "h"),
      ("__Secure-a=b; Secure; Domain=example.org", "https://www.example.org/", ".example.org"),
      ("a=b", "http://[::1]:8080/", "::1"),
      ("a=b; Domain=XN--bcher-kva.de", "http://www.bücher.de/", ".xn--bcher-kva.de"),
    ] as [(String, URL, String)])
  func acceptedFromAServer(field: String, url: URL, domain: String) {
    #expect(parse(field, url)?.domain == domain)
  }
}
