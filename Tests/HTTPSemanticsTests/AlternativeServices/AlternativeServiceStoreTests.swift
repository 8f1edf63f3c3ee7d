import Foundation
import Testing

@testable import URLLoadingHTTPSemantics

/// RFC 7838, sections 2 and 3: which alternatives are known, and for how long.
@Suite struct AlternativeServiceStoreTests {
  private static let origin = HTTPOrigin(host: "example.org", port: 443)
  private let now = Date(timeIntervalSince1970: 1_800_000_000)
  private var store = AlternativeServiceStore { host in host.split(separator: ".").suffix(2).joined(separator: ".") }

  @discardableResult
  private mutating func note(
    _ field: String, from origin: HTTPOrigin = Self.origin, isVerified: Bool = true, age: Int64 = 0,
    at offset: TimeInterval = 0
  ) -> [HostFactChange<AlternativeService>] {
    store.record(field, from: origin, isVerified: isVerified, age: age, now: now + offset)
  }

  private func service(at offset: TimeInterval = 0) -> AlternativeService? {
    store.service(for: Self.origin, now: now + offset)
  }

  @Test mutating func anOriginThatSaysSoHasAnAlternative() {
    let changes = note("h3=\":8443\"; ma=100")
    let expected = AlternativeService(
      origin: Self.origin, endpoint: HTTPOrigin(host: "example.org", port: 8443), expires: now + 100, persists: false,
      noted: now)
    #expect(changes == [.stored(expected)] && service() == expected)
    // Until then, and for this origin alone.
    #expect(service(at: 99) != nil && service(at: 100) == nil)
    #expect(store.service(for: HTTPOrigin(host: "example.org", port: 8443), now: now) == nil)
    #expect(store.service(for: HTTPOrigin(host: "a.example.org", port: 443), now: now) == nil)
  }

  @Test mutating func theFirstOfHTTP3IsTaken() {
    note("h2=\":1\", h3-29=\":2\", h3=\"b.example:3\", h3=\":4\"")
    #expect(service()?.endpoint == HTTPOrigin(host: "b.example", port: 3))
  }

  @Test mutating func whatIsNotVerifiedIsIgnored() {
    #expect(note("h3=\":443\"", isVerified: false) == [] && store.isEmpty)
    note("h3=\":443\"")
    // Nor does it end what is known.
    #expect(note("clear", isVerified: false) == [] && service() != nil)
  }

  @Test mutating func theLastFieldReplacesTheOneBefore() {
    note("h3=\":1\"")
    note("h3=\":2\"; ma=9")
    #expect(service()?.endpoint.port == 2 && store.count == 1)
    #expect(note("garbage") == [] && service()?.endpoint.port == 2)
    // Alternatives that are of no use here take the place, too.
    #expect(note("h2=\":443\"") == [.removed(Self.origin)] && store.isEmpty)
  }

  @Test mutating func clearEndsIt() {
    #expect(note("clear") == [])
    note("h3=\":443\"")
    #expect(note("clear") == [.removed(Self.origin)] && store.isEmpty)
    note("h3=\":443\"")
    #expect(note("h3=\":443\"; ma=0") == [.removed(Self.origin)] && store.isEmpty)
  }

  @Test mutating func timeCountsFromWhenTheResponseWasMade() {
    note("h3=\":443\"; ma=100", age: 40)
    #expect(service(at: 59) != nil && service(at: 60) == nil)
    #expect(note("h3=\":443\"; ma=100", age: 100) == [.removed(Self.origin)])
    // A cache that lies adds nothing.
    note("h3=\":443\"; ma=100", age: -1000)
    #expect(service(at: 100) == nil)
  }

  @Test mutating func aRenewalThatAddsNextToNothingIsNoWrite() {
    note("h3=\":443\"; ma=1000")
    #expect(note("h3=\":443\"; ma=1000", at: 9) == [] && note("h3=\":443\"; ma=1000", at: 11) != [])
    // Another endpoint is.
    #expect(note("h3=\":444\"; ma=1000", at: 12) != [] && note("h3=\":444\"; ma=1000; persist=1", at: 12) != [])
  }

  @Test mutating func aChangeOfTheNetworkLeavesWhatPersists() {
    let other = HTTPOrigin(host: "other.org", port: 443)
    note("h3=\":443\"")
    note("h3=\":443\"; persist=1", from: other)
    #expect(store.networkChanged().map(\.key) == [Self.origin])
    #expect(store.services.map(\.origin) == [other] && store.networkChanged() == [])
  }

  @Test mutating func aSiteDoesNotPushOutOthers() {
    note("h3=\":443\"; ma=1")
    for index in 0..<(HostFacts<AlternativeService>.siteLimit + 5) {
      note("h3=\":443\"; ma=\(1000 + index)", from: HTTPOrigin(host: "h\(index).example.com", port: 443))
    }
    #expect(store.count == HostFacts<AlternativeService>.siteLimit + 1 && service() != nil)
  }

  @Test mutating func changesOfAFileAreTakenOver() {
    note("h3=\":443\"; ma=100")
    let known = store.services
    var dropped: [HostFactChange<AlternativeService>] = []
    var other = AlternativeServiceStore(known, siteOf: { $0 }, now: now + 50, dropped: &dropped)
    #expect(other.services == known && dropped == [])
    _ = AlternativeServiceStore(known, siteOf: { $0 }, now: now + 100, dropped: &dropped)
    let gone: [HostFactChange<AlternativeService>] = known.map { .dropped($0) }
    #expect(dropped == gone)
    other.apply(.removed(Self.origin))
    #expect(other.isEmpty)
    other.apply(.stored(known[0]))
    note("h3=\":444\"; ma=100", at: 1)
    // What was noted anew since stays.
    store.apply(.dropped(known[0]))
    other.apply(.dropped(known[0]))
    #expect(service(at: 1) != nil && other.isEmpty)
  }

  // MARK: Origins

  @Test(
    arguments: [
      ("https://example.org/a", "example.org", 443), ("HTTPS://EXAMPLE.org:8443", "example.org", 8443),
      ("https://127.0.0.1:1/", "127.0.0.1", 1), ("https://[::1]:2/", "::1", 2),
      ("https://user:p@bücher.example/", "xn--bcher-kva.example", 443),
    ] as [(String, String, UInt16)])
  func anOrigin(_ text: String, _ host: String, _ port: UInt16) throws {
    #expect(HTTPOrigin(try #require(URL(string: text))) == HTTPOrigin(host: host, port: port))
  }

  @Test(arguments: ["http://example.org/", "ftp://example.org/", "https:///a", "https://example.org:0/", "file:///a"])
  func noOrigin(_ text: String) throws {
    #expect(HTTPOrigin(try #require(URL(string: text))) == nil)
  }
}
