import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoading

@Suite struct HTTPCookieStorageTests {
  private let storage = HTTPCookieStorage()

  private func store(
    _ fields: String..., from url: URL = "http://example.org/", document: URL? = nil,
    policy: HTTPCookie.AcceptPolicy = .always
  ) {
    storage.store(setCookieValues: fields, from: url, mainDocumentURL: document, policy: policy)
  }

  private func header(_ url: URL, document: URL? = nil) -> String? {
    storage.cookieHeader(for: url, mainDocumentURL: document)
  }

  @Test func emptyGivesNothing() {
    #expect(header("http://example.org/") == nil)
    #expect(storage.cookies == [] && storage.cookies(for: "http://example.org/") == [])
  }

  @Test func domainsAndHosts() {
    store("host=1", "domain=2; Domain=example.org", from: "http://www.example.org/")
    #expect(header("http://www.example.org/") == "host=1; domain=2")
    #expect(header("http://example.org/") == "domain=2")
    #expect(header("http://other.example.org:8080/x") == "domain=2")
    #expect(header("http://WWW.EXAMPLE.ORG/") == "host=1; domain=2")
    #expect(header("http://badexample.org/") == nil)
    #expect(header("http://org/") == nil)
  }

  @Test func addressesAreSingleHosts() {
    store("a=1", from: "http://127.0.0.1:81/")
    store("b=2", from: "http://[::1]/")
    #expect(header("http://127.0.0.1:99/") == "a=1")
    #expect(header("http://127.0.0.2/") == nil)
    #expect(header("http://[::1]:7/") == "b=2")
  }

  @Test func paths() {
    store("a=1; Path=/dir", "b=2; Path=/dir/", "c=3", from: "http://example.org/dir/sub/page")
    #expect(header("http://example.org/dir") == "a=1")
    #expect(header("http://example.org/dir/x?y#z") == "b=2; a=1")
    #expect(header("http://example.org/dirx") == nil)
    #expect(header("http://example.org/dir/sub/other") == "c=3; b=2; a=1")
    #expect(header("http://example.org") == nil)
  }

  @Test func longestPathFirstThenOldest() {
    store("a=1; Path=/", "b=2; Path=/x", "c=3; Path=/", "d=4; Path=/x")
    #expect(header("http://example.org/x") == "b=2; d=4; a=1; c=3")
    store("a=5; Path=/")
    #expect(header("http://example.org/x") == "b=2; d=4; a=5; c=3")
  }

  @Test func secure() {
    store("s=1; Secure", from: "https://example.org/")
    store("t=2; Secure", from: "http://example.org/")
    #expect(header("https://example.org/") == "s=1")
    #expect(header("wss://example.org/") == "s=1")
    #expect(header("http://example.org/") == nil)
    // Loopback is no exception.
    store("u=3; Secure", from: "http://localhost/")
    #expect(header("https://localhost/") == nil)
  }

  @Test func plainConnectionsLeaveSecureCookiesAlone() {
    store("s=1; Secure; Domain=example.org; Path=/a", from: "https://www.example.org/")
    store("s=2; Path=/a/b", from: "http://www.example.org/")
    store("s=3; Domain=example.org; Path=/a", from: "http://www.example.org/")
    #expect(header("https://www.example.org/a/b") == "s=1")
    store("s=4; Path=/", from: "http://www.example.org/")
    #expect(header("https://www.example.org/a/b") == "s=1; s=4")
    store("s=5; Domain=example.org; Path=/a; Secure", from: "https://www.example.org/")
    #expect(header("https://www.example.org/a") == "s=5; s=4")
  }

  @Test func timeIsUp() {
    store(
      "a=1; Max-Age=1000", "b=2; Expires=Sun, 06 Nov 1994 08:49:37 GMT",
      "c=3; Max-Age=0; Expires=Sun, 06 Nov 2094 08:49:37 GMT", "d=4")
    #expect(header("http://example.org/") == "a=1; d=4")
    store("a=x; Max-Age=-1", "d=x; Expires=Thu, 01 Jan 1970 00:00:00 GMT")
    #expect(header("http://example.org/") == nil)
    #expect(storage.cookies == [])
  }

  @Test func expiredWhileStoredIsNeverSent() throws {
    var store = CookieStore()
    let origin = try #require(CookieOrigin("http://example.org/"))
    let start = Date(timeIntervalSince1970: 1_000_000)
    let cookie = try #require(HTTPCookie(setCookie: "a=1; Max-Age=10", origin: origin, now: start))
    let isStored = store.store(cookie, from: origin, now: start)
    #expect(isStored)
    #expect(store.cookies(for: origin, now: start.addingTimeInterval(9)) == [cookie])
    #expect(store.cookies(for: origin, now: start.addingTimeInterval(10)) == [])
    #expect(store.all(now: start.addingTimeInterval(10)) == [])
  }

  @Test func publicSuffixes() {
    store("a=1; Domain=com", "b=2; Domain=example.com", from: "http://www.example.com/")
    #expect(header("http://other.com/") == nil)
    #expect(header("http://www.example.com/") == "b=2")
    for cookie in [HTTPCookie(properties: [.name: "x", .value: "y", .path: "/", .domain: ".com"])].compactMap({ $0 }) {
      storage.setCookies([cookie], for: "http://example.com/", mainDocumentURL: nil)
    }
    #expect(header("http://example.com/") == "b=2")
  }

  @Test func cookiesHandedInAreCheckedAgainstTheirURL() throws {
    let cookie = try #require(HTTPCookie(properties: [.name: "x", .value: "y", .path: "/", .domain: ".example.org"]))
    storage.setCookies([cookie], for: "http://evil.example/", mainDocumentURL: nil)
    #expect(storage.cookies == [])
    storage.setCookies([cookie], for: "http://www.example.org/", mainDocumentURL: nil)
    #expect(storage.cookies == [cookie])
    storage.deleteCookie(cookie)
    storage.setCookies([cookie], for: nil, mainDocumentURL: nil)
    #expect(storage.cookies == [cookie])
  }

  @Test func policies() throws {
    store("a=1", document: "http://other.example/", policy: .onlyFromMainDocumentDomain)
    #expect(storage.cookies == [])
    store(
      "a=1", from: "http://cdn.example.org/", document: "http://www.example.org/", policy: .onlyFromMainDocumentDomain)
    store("b=2", policy: .onlyFromMainDocumentDomain)
    #expect(storage.cookies?.map(\.name) == ["a", "b"])
    store("c=3", policy: .never)
    storage.cookieAcceptPolicy = .onlyFromMainDocumentDomain
    store("d=4", document: "http://other.example/", policy: .always)
    storage.cookieAcceptPolicy = .never
    store("e=5", policy: .always)
    storage.setCookie(try #require(storage.cookies?.first))
    #expect(storage.cookies?.map(\.name) == ["a", "b"])
    storage.cookieAcceptPolicy = .always
    store("f=6", document: "http://other.example/", policy: .always)
    #expect(storage.cookies?.map(\.name) == ["a", "b", "f"])
  }

  @Test func sameSite() {
    store("n=0; SameSite=None")
    store("s=1; SameSite=Strict", "l=2; SameSite=Lax", "n=3", "d=4")
    #expect(header("http://example.org/") == "s=1; l=2; n=3; d=4")
    #expect(header("http://example.org/", document: "http://www.example.org/") == "s=1; l=2; n=3; d=4")
    #expect(header("http://example.org/", document: "http://other.example/") == "n=3; d=4")
    store("t=5; SameSite=Strict", "u=6", document: "http://other.example/")
    #expect(header("http://example.org/") == "s=1; l=2; n=3; d=4; u=6")
  }

  @Test func removal() throws {
    store("a=1", "b=2")
    let middle = Date()
    storage.deleteCookie(try #require(storage.cookies?.first))
    #expect(storage.cookies?.map(\.name) == ["b"])
    store("c=3")
    storage.removeCookies(since: middle)
    #expect(storage.cookies?.map(\.name) == ["b"])
    storage.removeCookies(since: .distantPast)
    #expect(storage.cookies == [])
  }

  @Test func limitsForASiteAndInAll() {
    for index in 0..<(CookieStore.siteLimit + 20) {
      store("c\(index)=x", from: index % 2 == 0 ? "http://example.org/" : "http://www.example.org/")
    }
    #expect(storage.cookies?.count == CookieStore.siteLimit)
    #expect(storage.cookies?.first?.name == "c20")
    for index in 0..<(CookieStore.totalLimit + 5) {
      storage.store(setCookieValues: ["d=x"], from: URL(string: "http://site\(index).example/") ?? "http://a/")
    }
    #expect(storage.cookies?.count == CookieStore.totalLimit)
    #expect(storage.cookies?.first?.bareDomain == "site5.example")
  }

  @Test func sorting() {
    store("b=1", "a=2", "c=3")
    let byName = NSSortDescriptor(keyPath: \HTTPCookie.name, ascending: true)
    #expect(storage.sortedCookies(using: [byName]).map(\.name) == ["a", "b", "c"])
  }

  @Test func sharedStorages() {
    #expect(HTTPCookieStorage.shared === HTTPCookieStorage.shared)
    let group = HTTPCookieStorage.sharedCookieStorage(forGroupContainerIdentifier: "group")
    #expect(group === HTTPCookieStorage.sharedCookieStorage(forGroupContainerIdentifier: "group"))
    #expect(
      group !== HTTPCookieStorage.sharedCookieStorage(forGroupContainerIdentifier: "other")
        && group !== HTTPCookieStorage.shared)
  }

  @Test(.timeLimit(.minutes(4))) func observersAreTold() async {
    let (stream, continuation) = AsyncStream<Void>.makeStream()
    let token = NotificationCenter.default.addObserver(
      forName: .NSHTTPCookieManagerCookiesChanged, object: storage, queue: nil
    ) { _ in continuation.yield() }
    store("a=1")
    var iterator = stream.makeAsyncIterator()
    await iterator.next()
    #expect(storage.cookies?.count == 1)
    storage.removeCookies(since: .distantPast)
    await iterator.next()
    NotificationCenter.default.removeObserver(token)
  }

  @Test func manyThreads() async {
    await withTaskGroup(of: Void.self) { group in
      for worker in 0..<4 {
        group.addTask { [storage] in
          for index in 0..<200 {
            storage.store(setCookieValues: ["w\(worker)-\(index % 20)=\(index)"], from: "http://example.org/")
            _ = storage.cookieHeader(for: "http://example.org/")
          }
        }
      }
    }
    #expect(storage.cookies?.count == 80)
  }

  @Test func survivesAnySetCookie() {
    var random = SeededGenerator(seed: 7)
    let alphabet = Array("ab=;, .-/:\"ExpiresMax-AgeDomainPathé\u{0}1970")
    for _ in 0..<3000 {
      store(
        String((0..<Int.random(in: 0...60, using: &random)).map { _ in alphabet.randomElement(using: &random) ?? "x" }))
    }
    let sent = header("http://example.org/") ?? ""
    #expect(!sent.utf8.contains { $0 < 0x20 || $0 == 0x7F })
    #expect(storage.cookies?.count ?? 0 <= CookieStore.siteLimit)
  }
}
