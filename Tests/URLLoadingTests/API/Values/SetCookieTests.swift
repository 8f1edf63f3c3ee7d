import Foundation
import Testing
import URLLoadingHTTPSemantics

@testable import URLLoading

@Suite struct SetCookieTests {
  @Test(arguments: [
    ("a=b", "a", "b"), (" a = b ;x", "a", "b"), ("a=b=c", "a", "b=c"), ("a=", "a", ""), ("b", "", "b"), ("=b", "", "b"),
    ("a=\"q\"", "a", "\"q\""), ("a=b,c", "a", "b,c"), ("é=ü", "é", "ü"), ("a=b\tc", "a", "b\tc"),
  ])
  func namesAndValues(text: String, name: String, value: String) throws {
    let cookie = try #require(SetCookie(text))
    #expect(cookie.name == name && cookie.value == value)
  }

  @Test(arguments: ["", "=", ";", " ; Path=/", "a=b\u{0}", "a=b\nc", "a\r=b", "a=b\u{7F}", "a=b; Path=/\u{1}"])
  func ignored(text: String) {
    #expect(SetCookie(text) == nil)
  }

  @Test func attributes() throws {
    let cookie = try #require(
      SetCookie(
        "a=b; PATH=/x ;domain=.Example.ORG; secure=no; HttpOnly; Max-Age=60; SameSite=LAX; Expires=Sun, 06 Nov 1994 08:49:37 GMT; What=ever; ="
      ))
    #expect(cookie.path == "/x" && cookie.domain == "example.org" && cookie.isSecure && cookie.isHTTPOnly)
    #expect(cookie.maximumAge == 60 && cookie.sameSite == .sameSiteLax)
    #expect(cookie.expires == Date(timeIntervalSince1970: 784_111_777))
  }

  @Test func theLastAttributeOfANameCounts() throws {
    let cookie = try #require(SetCookie("a=b; Path=/x; Path=/y; Domain=x.org; Domain=; SameSite=Strict; SameSite=None"))
    #expect(cookie.path == "/y" && cookie.domain == nil && cookie.sameSite == nil)
    #expect(SetCookie("a=b; Path=/x; Path=y")?.path == nil)
  }

  @Test(
    arguments: [
      ("60", 60), ("-1", -1), ("0", 0), ("", nil), ("1.5", nil), ("+5", nil), ("5s", nil), ("-", nil), ("٥", nil),
    ] as [(String, Int64?)])
  func maximumAges(text: String, seconds: Int64?) {
    #expect(SetCookie("a=b; Max-Age=\(text)")?.maximumAge == seconds)
  }

  @Test func maximumAgeWinsAndDoesNotOverflow() throws {
    let now = Date(timeIntervalSince1970: 1_000_000)
    #expect(
      SetCookie("a=b; Max-Age=60; Expires=Sun, 06 Nov 1994 08:49:37 GMT")?.expiry(now: now)
        == now.addingTimeInterval(60))
    #expect(
      SetCookie("a=b; Expires=Sun, 06 Nov 2094 08:49:37 GMT; Max-Age=0")?.expiry(now: now)
        == Date(timeIntervalSince1970: 0))
    let far = try #require(SetCookie("a=b; Max-Age=99999999999999999999999")?.expiry(now: now))
    #expect(far > now && far <= .distantFuture)
    #expect(try #require(SetCookie("a=b; Max-Age=-99999999999999999999999")?.expiry(now: now)) < now)
    #expect(SetCookie("a=b")?.expiry(now: now) == nil)
    #expect(SetCookie("a=b; Expires=soon")?.expiry(now: now) == nil)
  }

  @Test func limits() {
    #expect(SetCookie("a=" + String(repeating: "x", count: 4095)) != nil)
    #expect(SetCookie("a=" + String(repeating: "x", count: 4096)) == nil)
    #expect(SetCookie("a=b; Path=/" + String(repeating: "x", count: 1023))?.path?.utf8.count == 1024)
    #expect(SetCookie("a=b; Path=/" + String(repeating: "x", count: 1024))?.path == nil)
  }

  @Test(arguments: [
    ("a=1", ["a=1"]), ("a=1, b=2", ["a=1", "b=2"]), ("a=1,b=2,c=3", ["a=1", "b=2", "c=3"]),
    ("a=1; Expires=Wed, 09 Jun 2100 10:18:14 GMT, b=2", ["a=1; Expires=Wed, 09 Jun 2100 10:18:14 GMT", "b=2"]),
    (
      "a=1; Expires=Wednesday, 09-Jun-00 10:18:14 GMT; Path=/, b=2; Secure",
      ["a=1; Expires=Wednesday, 09-Jun-00 10:18:14 GMT; Path=/", "b=2; Secure"]
    ),
    ("a=x,y; Path=/", ["a=x,y; Path=/"]), (", ,a=1,,", ["a=1,,"]), ("", []), ("a=1,  b = 2", ["a=1", "b = 2"]),
  ])
  func splitsJoinedCookies(text: String, expected: [String]) {
    #expect(SetCookieSplitter.split(text) == expected)
  }
}
