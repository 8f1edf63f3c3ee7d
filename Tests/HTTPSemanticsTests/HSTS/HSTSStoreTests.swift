import Foundation
import Testing

@testable import URLLoadingHTTPSemantics

/// RFC 6797, sections 8.1 and 8.2: which hosts are known, and for how long.
@Suite struct HSTSStoreTests {
  private let now = Date(timeIntervalSince1970: 1_800_000_000)
  private var store = HSTSStore(siteOf: Self.site(of:))

  /// The last two labels; what has registrable domains elsewhere is not in these tests.
  @Sendable private static func site(of host: String) -> String {
    host.split(separator: ".").suffix(2).joined(separator: ".")
  }

  @discardableResult
  private mutating func note(
    _ field: String, from host: String = "example.org", isSecure: Bool = true, isVerified: Bool = true,
    at offset: TimeInterval = 0
  ) -> [HostFactChange<HSTSPolicy>] {
    store.record(field, from: host, isSecure: isSecure, isVerified: isVerified, now: now + offset)
  }

  private func knows(_ host: String, at offset: TimeInterval = 0) -> Bool {
    store.policy(for: host, now: now + offset) != nil
  }

  // MARK: Section 8.1

  @Test mutating func aHostThatSaysSoIsKnown() {
    let changes = note("max-age=100")
    let policy = HSTSPolicy(host: "example.org", includesSubdomains: false, expires: now + 100, noted: now)
    #expect(changes == [.stored(policy)] && store.policy(for: "example.org", now: now) == policy)
  }

  @Test mutating func whatComesInsecurelyIsIgnored() {
    #expect(note("max-age=100", isSecure: false) == [] && store.isEmpty)
    #expect(note("max-age=100", isVerified: false) == [] && store.isEmpty)
    note("max-age=100; includeSubDomains")
    // Nor does it end or change what is known.
    #expect(note("max-age=0", isSecure: false) == [] && note("max-age=0", isVerified: false) == [])
    #expect(note("max-age=9", isSecure: false) == [])
    #expect(store.policy(for: "a.example.org", now: now)?.expires == now + 100)
  }

  @Test mutating func aMalformedFieldChangesNothing() {
    note("max-age=100")
    #expect(note("max-age=0; max-age=0") == [] && note("garbage") == [] && knows("example.org"))
  }

  @Test mutating func theLastFieldHolds() {
    note("max-age=100; includeSubDomains")
    note("max-age=1000", at: 10)
    #expect(store.policies.map(\.includesSubdomains) == [false] && store.policies.map(\.expires) == [now + 1010])
    // Shorter ones as well.
    note("max-age=5", at: 20)
    #expect(store.policies.map(\.expires) == [now + 25])
  }

  @Test mutating func aRenewalThatAddsNextToNothingIsNoWrite() {
    note("max-age=1000")
    #expect(note("max-age=1000", at: 9) == [])
    #expect(note("max-age=1000", at: 10).count == 1)
    #expect(note("max-age=1000; includeSubDomains", at: 10).count == 1)
  }

  @Test mutating func anAgeOfZeroEndsThePolicy() {
    note("max-age=100; includeSubDomains")
    note("max-age=100", from: "a.example.org")
    #expect(note("max-age=0") == [.removed("example.org")])
    #expect(!knows("example.org") && !knows("b.example.org") && knows("a.example.org"))
    // Of a host that is not known there is nothing to end.
    #expect(note("max-age=0") == [])
  }

  /// Nor does a host below end the policy of the one above.
  @Test mutating func aHostEndsItsOwnPolicyOnly() {
    note("max-age=100; includeSubDomains")
    #expect(note("max-age=0", from: "a.example.org") == [] && knows("a.example.org"))
  }

  @Test mutating func aPolicyExpires() {
    note("max-age=100")
    #expect(knows("example.org", at: 99.9) && !knows("example.org", at: 100))
    // And is noted anew.
    #expect(note("max-age=100", at: 100.5).count == 1 && knows("example.org", at: 200))
  }

  /// Section 8.1.1.
  @Test(arguments: [
    "127.0.0.1", "::1", "[::1]", "2001:db8::1", "127.1", "2130706433", "0x7f000001", "0x7f.1", "10.0.0.1.", "", ".",
    ".example.org", "a b", "a\u{0}b",
  ])
  mutating func anAddressIsNeverKnown(_ host: String) {
    #expect(note("max-age=100; includeSubDomains", from: host) == [] && store.isEmpty && !knows(host))
  }

  // MARK: Section 8.2

  @Test mutating func hostsBelowAreKnownWhereThatIsSaid() {
    note("max-age=100; includeSubDomains")
    for host in ["example.org", "a.example.org", "b.a.example.org"] { #expect(knows(host), "\(host)") }
    for host in ["org", "badexample.org", "example.org.evil.net", "example.com", "xample.org"] {
      #expect(!knows(host), "\(host)")
    }
  }

  @Test mutating func withoutThatHostsBelowAreNot() {
    note("max-age=100")
    #expect(knows("example.org") && !knows("a.example.org") && !knows("org"))
    // A host's own policy does not hide that of the one above.
    note("max-age=100; includeSubDomains")
    note("max-age=100", from: "a.example.org")
    #expect(knows("a.example.org") && knows("b.a.example.org"))
  }

  /// Sections 8.2 and 9: names compare in lower case, without the root's dot, as A-labels.
  @Test mutating func namesAreCanonical() {
    note("max-age=100", from: "EXAMPLE.org.")
    for host in ["example.org", "Example.ORG", "example.org."] { #expect(knows(host), "\(host)") }
    note("max-age=100", from: "bücher.example")
    #expect(knows("xn--bcher-kva.example") && knows("BÜCHER.example"))
    note("max-age=100", from: "localhost")
    #expect(knows("localhost"))
  }

  // MARK: Bounds

  @Test mutating func oneSiteDoesNotPushOutOthers() {
    note("max-age=10")
    for index in 0..<HostFacts<HSTSPolicy>.siteLimit + 5 {
      note("max-age=\(1000 + index)", from: "h\(index).example.com")
    }
    #expect(store.count == HostFacts<HSTSPolicy>.siteLimit + 1 && knows("example.org"))
    // What would have expired first has gone, and what came last has not.
    #expect(!knows("h0.example.com") && !knows("h4.example.com") && knows("h5.example.com"))
    #expect(note("max-age=1", from: "new.example.com").count == 2 && knows("new.example.com"))
  }

  @Test mutating func thereIsALimitForAll() {
    for index in 0..<HostFacts<HSTSPolicy>.limit { note("max-age=\(100 + index)", from: "example\(index).org") }
    let changes = note("max-age=1", from: "new.org")
    #expect(
      store.count == HostFacts<HSTSPolicy>.limit && knows("new.org") && !knows("example0.org") && knows("example1.org"))
    guard case .dropped(let policy) = changes.last else { return #expect(Bool(false), "\(changes)") }
    #expect(policy.host == "example0.org")
  }

  @Test mutating func whatHasExpiredGoesFirst() {
    note("max-age=1", from: "old.example.com")
    for index in 0..<HostFacts<HSTSPolicy>.siteLimit { note("max-age=9", from: "h\(index).example.com", at: 5) }
    #expect(store.count == HostFacts<HSTSPolicy>.siteLimit && knows("h0.example.com", at: 5))
  }

  // MARK: Beside a file

  @Test func whatAFileHasThatHasExpiredIsDropped() {
    let old = HSTSPolicy(host: "old.org", includesSubdomains: false, expires: now, noted: now - 10)
    let new = HSTSPolicy(host: "new.org", includesSubdomains: true, expires: now + 1, noted: now - 10)
    var dropped: [HostFactChange<HSTSPolicy>] = []
    let store = HSTSStore([old, new], siteOf: Self.site(of:), now: now, dropped: &dropped)
    #expect(store.policies == [new] && dropped == [.dropped(old)])
  }
}
