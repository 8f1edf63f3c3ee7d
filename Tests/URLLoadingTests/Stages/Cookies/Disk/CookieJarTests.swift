import Foundation
import Testing
import URLLoadingHTTPSemantics

@testable import URLLoading

/// What holds where memory and a file differ.
@Suite struct CookieJarTests {
  private let now = Date(timeIntervalSince1970: 1_000_000)
  private var jar = CookieJar(hasFile: true)

  private func cookie(_ text: String) throws -> HTTPCookie {
    let origin = try #require(CookieOrigin("http://example.org/"))
    return try #require(HTTPCookie(setCookie: text, origin: origin, now: now))
  }

  private func file(_ texts: [(String, stored: TimeInterval)]) throws -> CookieJar {
    let rows = try texts.enumerated().map { index, entry in
      CookieRow(
        partition: "",
        record: CookieRecord(
          try cookie(entry.0), creation: Int64(index), lastAccess: Int64(index), stored: now + entry.stored))
    }
    return CookieJar(CookieDatabase.Contents(cookies: rows), now: now)
  }

  private mutating func store(_ text: String, at offset: TimeInterval) throws {
    let cookie = try cookie(text)
    jar.change(in: "") { $0.store(cookie, now: now + offset) }
  }

  private var pairs: [String] { jar.all(now: now).map { "\($0.name)=\($0.value)" }.sorted() }

  @Test mutating func onlyLastingCookiesAreWritten() throws {
    try store("a=1", at: 0)
    #expect(jar.unwritten.isEmpty)
    try store("a=2; Max-Age=100", at: 1)
    #expect(jar.unwritten.changes.count == 1)
    _ = jar.takeUnwritten()
    try store("a=3", at: 2)
    guard case .removed = jar.unwritten.changes.values.first else { return #expect(Bool(false), "\(jar.unwritten)") }
  }

  @Test mutating func whatIsNotWrittenHolds() throws {
    try store("a=new; Max-Age=100", at: 0)
    try store("b=1; Max-Age=100", at: 0)
    let removed = try cookie("b=1; Max-Age=100")
    jar.change(in: "") { $0.remove(removed) }
    jar.update(
      from: try file([("a=file; Max-Age=100", 50), ("b=file; Max-Age=100", 50), ("c=file; Max-Age=100", 50)]), now: now)
    #expect(pairs == ["a=new", "c=file"])
  }

  @Test func whatHasExpiredLeavesTheFile() throws {
    let record = CookieRecord(
      try cookie("old=1; Max-Age=10"), creation: 1, lastAccess: 1, stored: now - 100)
    let rows = [CookieRow(partition: "", record: record)]
    #expect(CookieJar(CookieDatabase.Contents(cookies: rows), now: now).unwritten.isEmpty)
    let later = CookieJar(CookieDatabase.Contents(cookies: rows), now: now + 10)
    #expect(later.isEmpty && later.unwritten.changes.count == 1)
  }

  @Test mutating func whatTheFileHasHolds() throws {
    try store("a=1; Max-Age=100", at: 0)
    try store("b=1; Max-Age=100", at: 0)
    _ = jar.takeUnwritten()
    jar.update(from: try file([("a=file; Max-Age=100", -50)]), now: now)
    #expect(pairs == ["a=file"])
    #expect(jar.unwritten.isEmpty)
  }

  @Test(arguments: [(-50.0, "a=1"), (50.0, "a=file")])
  mutating func ofSessionAndFileTheLaterHolds(stored: TimeInterval, expected: String) throws {
    try store("a=1", at: 0)
    jar.update(from: try file([("a=file; Max-Age=100", stored)]), now: now)
    #expect(pairs == [expected])
    // The file follows.
    #expect(jar.unwritten.isEmpty == (stored > 0))
  }

  @Test mutating func aRemovalByDateReachesWhatOnlyTheFileHas() throws {
    try store("a=1; Max-Age=100", at: 10)
    let isChanged = jar.removeAll(storedSince: now)
    #expect(isChanged)
    try store("d=1; Max-Age=100", at: 20)
    let contents = try file([("a=0; Max-Age=100", -10), ("b=1; Max-Age=100", 10), ("c=1; Max-Age=100", -10)])
    jar.update(from: contents, now: now)
    #expect(pairs == ["c=1", "d=1"])
    #expect(jar.unwritten.removalDate == now && jar.unwritten.changes.count == 2)
  }

  @Test mutating func whatCouldNotBeWrittenComesBeforeWhatCameLater() throws {
    try store("a=1; Max-Age=100", at: 0)
    try store("b=1; Max-Age=100", at: 0)
    let failed = jar.takeUnwritten()
    try store("a=2; Max-Age=100", at: 1)
    jar.putBack(failed)
    let values = jar.unwritten.changes.values.compactMap {
      if case .stored(let record) = $0 { record.cookie.value } else { nil }
    }
    #expect(values.sorted() == ["1", "2"])
  }

  @Test mutating func whatIsStoredAnewOutlivesWhatHasExpiredInTheFile() throws {
    let record = CookieRecord(try cookie("a=old; Max-Age=10"), creation: 1, lastAccess: 1, stored: now - 100)
    let renewed = try cookie("a=new; Max-Age=100")
    jar.change(in: "") { $0.store(renewed, now: now + 11) }
    jar.update(
      from: CookieJar(CookieDatabase.Contents(cookies: [CookieRow(partition: "", record: record)]), now: now + 11),
      now: now + 11)
    #expect(pairs == ["a=new"])
    guard case .stored = jar.unwritten.changes.values.first else { return #expect(Bool(false), "\(jar.unwritten)") }
  }

  @Test mutating func whatIsDroppedHereStaysWhereAnotherHasStoredItAnew() throws {
    for index in 0...CookieStore.siteLimit { try store("c\(index)=1; Max-Age=1000", at: TimeInterval(index)) }
    let dropped = jar.unwritten.changes.values.compactMap { if case .dropped(let record) = $0 { record } else { nil } }
    #expect(dropped.map(\.cookie.name) == ["c0"])
    let later = try cookie("c0=later; Max-Age=1000")
    for (stored, isKept) in [(-1.0, false), (1.0, true)] {
      var jar = jar
      let record = CookieRecord(later, creation: 1, lastAccess: .max / 2, stored: now + stored)
      jar.update(
        from: CookieJar(CookieDatabase.Contents(cookies: [CookieRow(partition: "", record: record)]), now: now),
        now: now)
      #expect(jar.all(now: now).contains { $0.value == "later" } == isKept)
    }
  }

  @Test mutating func aUseOrAnEvictionDoesNotUndoARemoval() throws {
    let record = CookieRecord(try cookie("a=1; Max-Age=100"), creation: 1, lastAccess: 1, stored: now)
    var unwritten = UnwrittenCookies()
    unwritten.recordChange(.removed(record.cookie), partition: "")
    unwritten.recordChange(.dropped(record), partition: "")
    unwritten.recordChange(.used(record.cookie, lastAccess: 5), partition: "")
    guard case .removed = unwritten.changes.values.first else { return #expect(Bool(false), "\(unwritten)") }
  }

  @Test mutating func togetherTheyKeepTheLimits() throws {
    for index in 0..<CookieStore.siteLimit { try store("m\(index)=1; Max-Age=1000", at: 100) }
    let unwritten = jar.unwritten.changes.count
    jar.update(from: try file((0..<20).map { ("f\($0)=1; Max-Age=1000", 0) }), now: now)
    #expect(pairs.count == CookieStore.siteLimit)
    #expect(jar.unwritten.changes.count == unwritten + 20, "what was evicted is removed from the file")
  }

  @Test func whatTheFileDoesNotKnowOfPoliciesHoldsAgainstIt() {
    var jar = CookieJar(hasFile: true)
    for host in ["a.org", "b.org"] {
      jar.record(transportSecurity: "max-age=100", from: host, isSecure: true, isVerified: true, now: now)
    }
    jar.record(transportSecurity: "max-age=0", from: "b.org", isSecure: true, isVerified: true, now: now)
    let filed = ["a.org", "b.org", "c.org"].map {
      HSTSPolicy(host: $0, includesSubdomains: true, expires: now + 50, noted: now - 1)
    }
    jar.update(from: CookieJar(CookieDatabase.Contents(policies: filed), now: now), now: now)
    #expect(Set(jar.policies.policies.map(\.host)) == ["a.org", "c.org"])
    #expect(jar.policies.policy(for: "a.org", now: now)?.includesSubdomains == false)
    #expect(jar.unwritten.policies.count == 2)
    jar.removePolicies()
    jar.update(from: CookieJar(CookieDatabase.Contents(policies: filed), now: now), now: now)
    #expect(jar.policies.isEmpty && jar.unwritten.policies.removesAll && jar.unwritten.count == 0)
  }
}
