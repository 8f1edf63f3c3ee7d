import Foundation
import Testing

@testable import URLLoading

/// The rules of RFC 6265bis, each by its section. What the tests of single types have is not repeated here.
@Suite struct CookieRulesTests {
  private static let now = Date(timeIntervalSince1970: 1_700_000_000)

  /// Stores fields one after the other, a second apart.
  private func store(
    _ fields: [String], from url: URL = "https://www.example.org/dir/page", document: URL? = nil
  ) -> CookieStore {
    var store = CookieStore()
    guard let origin = CookieOrigin(url, mainDocumentURL: document) else { return store }
    for (index, field) in fields.enumerated() {
      let now = Self.now.addingTimeInterval(TimeInterval(index))
      if let cookie = HTTPCookie(setCookie: field, origin: origin, now: now) {
        _ = store.store(cookie, from: origin, now: now)
      }
    }
    return store
  }

  private func cookie(_ field: String, from url: URL = "https://www.example.org/dir/page") -> HTTPCookie? {
    store([field], from: url).all(now: Self.now).first
  }

  private func sent(_ store: CookieStore, to url: URL, document: URL? = nil) -> String? {
    CookieOrigin(url, mainDocumentURL: document).map {
      HTTPCookie.fieldValue(for: store.cookies(for: $0, now: Self.now.addingTimeInterval(1000)))
    }
  }

  // MARK: 5.2 Sites

  @Test(
    "5.2: a site is a registrable domain and a scheme",
    arguments: [
      ("https://a.example.org/", "https://b.example.org/", false),
      ("https://example.org/", "http://example.org/", true),
      ("wss://example.org/", "https://www.example.org:8443/", false),
      ("ws://example.org/", "http://example.org/", false),
      ("https://a.github.io/", "https://b.github.io/", true), ("http://127.0.0.1/", "http://127.0.0.1:81/", false),
      ("http://127.0.0.1/", "http://127.0.0.2/", true), ("http://localhost/", "http://localhost/x", false),
    ] as [(URL, URL, Bool)])
  func sites(url: URL, document: URL, isCrossSite: Bool) {
    #expect(CookieOrigin(url, mainDocumentURL: document)?.isCrossSite == isCrossSite)
  }

  @Test("7.2: the accept policy asks for the domain, not for the scheme")
  func acceptPolicy() throws {
    let origin = try #require(CookieOrigin("https://a.example.org/", mainDocumentURL: "http://example.org/"))
    #expect(origin.isCrossSite && HTTPCookie.AcceptPolicy.onlyFromMainDocumentDomain.accepts(from: origin))
  }

  // MARK: 5.4 Prefixes

  @Test(
    "5.4, 5.7 steps 20 to 22: prefixes",
    arguments: [
      ("__Secure-SID=12345; Domain=example.org", false), ("__secure-SID=12345; Domain=example.org", false),
      ("__SECURE-SID=12345; Domain=example.org", false), ("__Host-SID=12345", false),
      ("__host-SID=12345; Secure", false),
      ("__host-SID=12345; Domain=example.org", false), ("__HOST-SID=12345; Domain=example.org; Path=/", false),
      ("__Host-SID=12345; Secure; Domain=example.org; Path=/", false),
      ("__host-SID=12345; Secure; Domain=www.example.org; Path=/", false),
      ("__Host-SID=12345; Secure; Path=/x", false), ("__Host-SID=12345; Secure; Path=", false),
      ("__Secure-SID=12345; Domain=example.org; Secure", true), ("__sECURE-SID=12345; Secure", true),
      ("__Host-SID=12345; Secure; Path=/", true), ("__HOST-SID=12345; Secure; Path=/", true),
      ("__Host-SID=12345; Secure; Path=/; Domain=", true),
      ("=__Secure-a=b; Secure", false), ("__HOST-x; Secure; Path=/", false), ("=__Hostess", true),
      (" = __host-x", false),
      ("__SecureX=1", true), ("x__Host-=1", true),
    ])
  func prefixes(field: String, isTaken: Bool) {
    #expect((cookie(field) != nil) == isTaken)
  }

  @Test("5.7 step 21: a Path attribute that means the default path counts as one")
  func hostPrefixWithDefaultPath() {
    #expect(cookie("__Host-a=1; Secure; Path=", from: "https://example.org/page") != nil)
    #expect(cookie("__Host-a=1; Secure", from: "https://example.org/page") == nil)
    #expect(cookie("__Host-a=1; Secure; Path=/; Domain=127.0.0.1", from: "https://127.0.0.1/") == nil)
  }

  @Test("5.7: a prefix counts for cookies that are handed in as well")
  func prefixesOfCookiesHandedIn() throws {
    var store = CookieStore()
    let origin = try #require(CookieOrigin("https://example.org/"))
    for (domain, path) in [(".example.org", "/"), ("example.org", "/x")] {
      let cookie = try #require(
        HTTPCookie(properties: [.name: "__Host-a", .value: "1", .domain: domain, .path: path, .secure: "TRUE"]))
      let isStored = store.store(cookie, from: origin, now: Self.now)
      #expect(!isStored)
    }
  }

  // MARK: 5.5 Lifetime

  @Test(
    "5.5: no server's cookie lives for more than 400 days",
    arguments: ["Max-Age=34560001", "Max-Age=99999999999999999999", "Expires=Fri, 31 Dec 9999 23:59:59 GMT"])
  func lifetime(attribute: String) {
    #expect(cookie("a=1; \(attribute)")?.expiresDate == Self.now.addingTimeInterval(400 * 86_400))
  }

  @Test("5.5: a program's own may") func lifetimeOfAProgramsCookies() {
    let cookie = HTTPCookie(properties: [
      .name: "a", .value: "1", .domain: "h", .path: "/", .expires: Date.distantFuture,
    ])
    #expect(cookie?.expiresDate == .distantFuture)
  }

  // MARK: 5.6 Parsing

  @Test(
    "5.6: the name and the value",
    arguments: [
      ("a=b; c=d", "a", "b"), ("a;b=c", "", "a"), ("\t a\t=\t b \t", "a", "b"), ("a b=c d", "a b", "c d"),
      ("a=%3B%00", "a", "%3B%00"), ("a = b = c ", "a", "b = c"), ("a=\"b;c\"", "a", "\"b"), ("a=;", "a", ""),
      ("=", nil, nil), ("", nil, nil), (" \t;a=b", nil, nil), ("a=b\u{1F}", nil, nil), ("a=b; x=\u{7F}", nil, nil),
      ("a=b\u{80}", "a", "b\u{80}"),
    ] as [(String, String?, String?)])
  func namesAndValues(field: String, name: String?, value: String?) {
    let parsed = SetCookie(field)
    #expect(parsed?.name == name && parsed?.value == value)
  }

  @Test("5.6 step 5: 4096 bytes for name and value together") func sizeOfThePair() {
    #expect(SetCookie(String(repeating: "n", count: 2048) + "=" + String(repeating: "v", count: 2048)) != nil)
    #expect(SetCookie(String(repeating: "n", count: 2048) + "=" + String(repeating: "v", count: 2049)) == nil)
    #expect(SetCookie(" " + String(repeating: "é", count: 2048) + " ;" + String(repeating: "x", count: 9000)) != nil)
    #expect(SetCookie(String(repeating: "é", count: 2048) + "v") == nil)
  }

  @Test("5.6: an attribute's value of more than 1024 bytes is passed over, and earlier ones count")
  func sizeOfAttributes() {
    let long = String(repeating: "x", count: 1024)
    #expect(SetCookie("a=b; Path=/p; Path=/\(long)")?.path == "/p")
    #expect(SetCookie("a=b; Domain=example.org; Domain=\(long)x")?.domain == "example.org")
    #expect(SetCookie("a=b; Secure=\(long)x")?.isSecure == false)
    #expect(SetCookie("a=b; Secure=\(long)")?.isSecure == true)
  }

  @Test(
    "5.6.1, 5.6.2, 5.7 step 6: Max-Age wins over Expires, the last that can be read of each",
    arguments: [
      ("Expires=Sun, 06 Nov 1994 08:49:37 GMT; Max-Age=60", 60), ("Max-Age=60; Max-Age=30; Max-Age=x", 30),
      ("Max-Age=60; Expires=Sun, 06 Nov 1994 08:49:37 GMT", 60),
      ("Max-Age=", nil), ("Max-Age=-", nil), ("Max-Age=1 0", nil), ("Max-Age=+1", nil), ("Expires=never", nil),
      ("Expires=Tue, 14 Nov 2023 22:14:20 GMT; Expires=x", 60), ("MAX-AGE = 60 ", 60), ("Max-Age=060", 60),
    ] as [(String, TimeInterval?)])
  func lifetimes(attributes: String, seconds: TimeInterval?) {
    #expect(cookie("a=1; \(attributes)")?.expiresDate == seconds.map { Self.now.addingTimeInterval($0) })
  }

  @Test("5.6.2 step 7: none or less removes", arguments: ["0", "-1", "-99999999999999999999", "00"])
  func maximumAgeOfNone(text: String) {
    #expect(store(["a=1", "a=2; Max-Age=\(text)"]).isEmpty)
  }

  @Test(
    "5.6.3, 5.7 steps 7 to 10: the domain",
    arguments: [
      ("example.org", ".example.org"), (".example.org", ".example.org"), ("..example.org", nil),
      ("EXAMPLE.ORG", ".example.org"), ("", "www.example.org"), (".", "www.example.org"),
      ("www.example.org", ".www.example.org"), ("a.www.example.org", nil), ("org", nil), (".org", nil),
      ("example.org.", nil), ("exämple.org", nil), ("ample.org", nil), ("example.org; Domain=", "www.example.org"),
      ("other.org; Domain=example.org", ".example.org"), ("example.org; Domain=other.org", nil),
    ] as [(String, String?)])
  func domains(attribute: String, domain: String?) {
    #expect(cookie("a=1; Domain=\(attribute)")?.domain == domain)
  }

  @Test(
    "5.7 step 9: the host that is a public suffix gets a cookie of its own alone",
    arguments: [("http://github.io/", "github.io"), ("http://localhost/", "localhost")] as [(URL, String)])
  func publicSuffixes(url: URL, host: String) throws {
    #expect(cookie("a=1; Domain=\(host)", from: url)?.domain == host)
    let below = try #require(URL(string: "http://a.\(host)/"))
    #expect(cookie("a=1; Domain=\(host)", from: below) == nil)
  }

  @Test(
    "5.6.4: the path",
    arguments: [
      ("/x", "/x"), ("", "/dir"), ("x", "/dir"), ("/x; Path=y", "/dir"), ("/x; Path", "/dir"), ("y; Path=/x", "/x"),
      ("/x/../y", "/x/../y"), ("/%41", "/%41"),
    ])
  func paths(attribute: String, path: String) {
    #expect(cookie("a=1; Path=\(attribute)")?.path == path)
  }

  @Test("5.6.5, 5.6.6: flags have no value that matters", arguments: ["", "=", "=false", " = 0 "])
  func flags(value: String) {
    #expect(cookie("a=1; sECURE\(value)")?.isSecure == true)
    #expect(cookie("a=1; hTTPoNLY\(value)")?.isHTTPOnly == true)
  }

  @Test(
    "5.6.7, 5.7 step 17: the last SameSite counts, and what is unknown means none of them",
    arguments: [
      ("SameSite=strict", .sameSiteStrict), ("samesite=LAX", .sameSiteLax), ("SameSite=None; Secure", nil),
      ("SameSite=Strict; SameSite=what", nil), ("SameSite", nil), ("SameSite=what; SameSite=Lax", .sameSiteLax),
    ] as [(String, HTTPCookieStringPolicy?)])
  func sameSite(attributes: String, policy: HTTPCookieStringPolicy?) throws {
    #expect(try #require(cookie("a=1; \(attributes)")).sameSitePolicy == policy)
  }

  // MARK: 5.7 Storing

  @Test("5.7 step 13: Secure only over a secure connection, of which loopback is none")
  func secureNeedsASecureConnection() {
    for url in ["http://example.org/", "ws://example.org/", "http://localhost/", "http://127.0.0.1/"] as [URL] {
      #expect(cookie("a=1; Secure", from: url) == nil)
      #expect(cookie("a=1", from: url) != nil)
    }
    #expect(cookie("a=1; Secure", from: "wss://example.org/") != nil)
  }

  @Test(
    "5.7 step 16: an insecure connection does not overlay secure cookies",
    arguments: [
      ("/login", false), ("/login/en", false), ("/", true), ("/foo", true), ("/loginx", true),
    ])
  func secureCookiesAreLeftAlone(path: String, isTaken: Bool) throws {
    for domain in ["", "; Domain=example.org"] {
      var store = store(["a=1; Secure; Path=/login\(domain)"])
      let origin = try #require(CookieOrigin("http://www.example.org/"))
      let cookie = try #require(HTTPCookie(setCookie: "a=2; Path=\(path)", origin: origin))
      let isStored = store.store(cookie, from: origin, now: Self.now)
      #expect(isStored == isTaken)
      let other = try #require(HTTPCookie(setCookie: "b=2; Path=\(path)", origin: origin))
      let isOtherStored = store.store(other, from: origin, now: Self.now)
      #expect(isOtherStored)
    }
  }

  @Test("5.7 step 16: nor removes them") func secureCookiesAreNotRemoved() throws {
    var store = store(["a=1; Secure"])
    let origin = try #require(CookieOrigin("http://www.example.org/dir/page"))
    let cookie = try #require(HTTPCookie(setCookie: "a=2; Max-Age=0", origin: origin))
    let isChanged = store.store(cookie, from: origin, now: Self.now)
    #expect(!isChanged && store.count == 1)
  }

  @Test("5.7 step 18: Lax and Strict are not set by a part of another site's document")
  func sameSiteIsNotSetFromElsewhere() {
    let fields = ["s=1; SameSite=Strict", "l=1; SameSite=Lax", "n=1; SameSite=None; Secure", "d=1"]
    #expect(store(fields, document: "https://other.example/").all(now: Self.now).map(\.name) == ["n", "d"])
    #expect(store(fields, document: "https://example.org/").count == 4)
    #expect(store(fields).count == 4)
  }

  @Test("5.7 step 19: None needs Secure") func noneNeedsSecure() {
    #expect(cookie("a=1; SameSite=None") == nil && cookie("a=1; SameSite=None; SameSite=Lax") != nil)
    #expect(cookie("a=1; SameSite=None; Secure") != nil)
  }

  @Test("5.7 step 23: the same name, domain, host-only flag and path, by bytes, make the same cookie")
  func identity() {
    let domain = "Domain=www.example.org"
    let fields = ["a=1", "a=2; \(domain)", "a=3; Path=/", "A=4", "\u{E9}=5", "e\u{301}=6", "a=7"]
    let all = store(fields).all(now: Self.now)
    #expect(all.map(\.value) == ["7", "2", "3", "4", "5", "6"])
  }

  @Test("5.7 step 23: one that replaces another is as old as that, one that expired between is not")
  func creationTime() throws {
    var store = store(["a=1; Max-Age=10", "b=1"])
    let origin = try #require(CookieOrigin("https://www.example.org/dir/page"))
    for (seconds, order) in [(5.0, ["a", "b"]), (100, ["b", "a"])] {
      let now = Self.now.addingTimeInterval(seconds)
      let cookie = try #require(HTTPCookie(setCookie: "a=2; Max-Age=10", origin: origin, now: now))
      _ = store.store(cookie, from: origin, now: now)
      #expect(store.all(now: now).map(\.name) == order)
    }
  }

  @Test("5.7: a clock that jumps changes no order") func clockJumps() throws {
    var store = CookieStore()
    let origin = try #require(CookieOrigin("https://example.org/"))
    for (index, seconds) in [0.0, 1e9, -1e9, -1e12, 1e300, 5].enumerated() {
      let cookie = try #require(HTTPCookie(setCookie: "c\(index)=1", origin: origin))
      _ = store.store(cookie, from: origin, now: Self.now.addingTimeInterval(seconds))
      _ = store.take(for: origin, now: Self.now.addingTimeInterval(-seconds))
    }
    #expect(store.cookies(for: origin, now: Self.now).map(\.name) == (0..<6).map { "c\($0)" })
  }

  // MARK: 5.7 Eviction

  @Test("5.7: expired cookies go first, then those that are not secure, each by the last use")
  func evictionOfASite() throws {
    var store = CookieStore()
    let origin = try #require(CookieOrigin("https://example.org/"))
    func add(_ field: String, at seconds: TimeInterval) throws {
      let now = Self.now.addingTimeInterval(seconds)
      _ = store.store(try #require(HTTPCookie(setCookie: field, origin: origin, now: now)), from: origin, now: now)
    }
    try add("secure=1; Secure", at: 0)
    try add("used=1; Path=/used", at: 1)
    try add("old=1", at: 2)
    for index in 0..<(CookieStore.siteLimit - 4) { try add("s\(index)=1; Secure", at: 3) }
    try add("expired=1; Max-Age=1; Secure", at: 4)
    _ = store.take(for: try #require(CookieOrigin("https://example.org/used")), now: Self.now.addingTimeInterval(5))
    // `/used` takes all cookies of `/`, too; only these are older then.
    try add("old=2", at: 2)
    func has(_ name: String) -> Bool { store.all(now: Self.now).contains { $0.name == name } }
    try add("x1=1; Secure", at: 10)
    #expect(!has("expired") && store.count == CookieStore.siteLimit)
    try add("x2=1; Secure", at: 11)
    #expect(!has("used") && has("old") && has("secure") && store.count == CookieStore.siteLimit)
    try add("x3=1; Secure", at: 12)
    #expect(!has("old") && has("secure"))
    try add("x4=1; Secure", at: 13)
    #expect(!has("secure") && has("x4") && store.count == CookieStore.siteLimit)
    // The new one is the only one that is not secure.
    try add("x5=1", at: 14)
    #expect(!has("x5") && store.count == CookieStore.siteLimit)
  }

  @Test("5.7: of too many in all the least recently used go, expired ones before them") func evictionInAll() throws {
    var store = CookieStore()
    func origin(_ site: Int) throws -> CookieOrigin {
      let url = try #require(URL(string: "https://site\(site).example/"))
      return try #require(CookieOrigin(url))
    }
    for index in 0..<CookieStore.totalLimit {
      let field = index == 50 ? "a=1; Max-Age=1" : "a=1"
      let cookie = try #require(HTTPCookie(setCookie: field, origin: try origin(index), now: Self.now))
      _ = store.store(cookie, from: try origin(index), now: Self.now)
    }
    let later = Self.now.addingTimeInterval(10)
    _ = store.take(for: try origin(0), now: later)
    for index in 0..<2 {
      let new = try origin(CookieStore.totalLimit + index)
      _ = store.store(try #require(HTTPCookie(setCookie: "a=1", origin: new)), from: new, now: later)
    }
    #expect(store.count == CookieStore.totalLimit)
    #expect(try [0, 1, 2, 50].map { store.cookies(for: try origin($0), now: Self.now).count } == [1, 0, 1, 0])
  }

  @Test("6.1: at least 50 cookies of a domain, and 3000 in all") func capacity() {
    #expect(CookieStore.siteLimit >= 50 && CookieStore.totalLimit >= 3000)
  }

  // MARK: 5.8 Sending

  @Test("5.8.3: whole names of domains, whole parts of paths, and Secure") func whichCookiesGoWhere() {
    let store = store([
      "h=1; Path=/", "d=1; Domain=example.org; Path=/", "p=1; Path=/a/", "q=1; Path=/a", "s=1; Secure",
    ])
    #expect(sent(store, to: "http://www.example.org/") == "h=1; d=1")
    #expect(sent(store, to: "http://example.org/") == "d=1")
    #expect(sent(store, to: "http://x.www.example.org/a") == "d=1")
    #expect(sent(store, to: "https://www.example.org/a") == "q=1; h=1; d=1")
    #expect(sent(store, to: "https://www.example.org/a/b") == "p=1; q=1; h=1; d=1")
    #expect(sent(store, to: "https://www.example.org/dir/") == "s=1; h=1; d=1")
    #expect(sent(store, to: "http://www.example.org/dir/") == "h=1; d=1")
  }

  @Test("5.8.3: SameSite and the document") func whichCookiesGoWithWhom() {
    let store = store(
      ["s=1; SameSite=Strict", "l=1; SameSite=Lax", "n=1; SameSite=None; Secure", "d=1"].map { $0 + "; Path=/" })
    let url: URL = "https://www.example.org/"
    #expect(sent(store, to: url, document: "https://other.example/") == "n=1; d=1")
    #expect(sent(store, to: url, document: "http://www.example.org/") == "n=1; d=1")
    #expect(sent(store, to: url, document: url) == "s=1; l=1; n=1; d=1")
  }

  @Test("5.8.3 step 4: a cookie without a name is its value") func serialization() {
    #expect(sent(store(["a=; Path=/", "b; Path=/"]), to: "https://www.example.org/") == "a=; b")
    #expect(sent(store(["=c=d; Path=/"]), to: "https://www.example.org/") == "c=d")
  }
}
