import Foundation
import Testing
import URLLoadingHTTPSemantics

@testable import URLLoading

extension CachingRules {
  @Suite("RFC 9111, 4.2: freshness") struct Fresh {
    /// How long a response is fresh, by a lookup just before and at its end.
    private func expectLifetime(
      _ lifetime: TimeInterval, _ fields: HTTPFields, status: Int = 200, in kind: CacheRules.Kind = .private,
      _ location: SourceLocation = #_sourceLocation
    ) throws {
      let head = try stored(fields, status: status, in: kind, location)
      if lifetime > 0 {
        #expect(lookup([head], after: lifetime - 0.001, in: kind).reason == .fresh, sourceLocation: location)
      }
      #expect(lookup([head], after: lifetime, in: kind).reason == .stale, sourceLocation: location)
    }

    @Test(
      "4.2.1, 5.2.2.1: max-age",
      arguments: [
        ("max-age=60", 60), ("MAX-AGE=60", 60), ("max-age=\"60\"", 60), (" max-age=60 ,x", 60),
        ("x=\"max-age=1\",max-age=60", 60),
        ("max-age=0", 0), ("max-age=00060", 60), ("max-age=2147483648", 2_147_483_648), ("s-maxage=5, max-age=60", 60),
      ])
    func maxAge(_ directives: String, _ lifetime: TimeInterval) throws {
      try expectLifetime(lifetime, ["Cache-Control": directives])
      // It goes before Expires (5.3) and what can be guessed (4.2.2).
      try expectLifetime(lifetime, ["Cache-Control": directives, "Expires": hourAfter, "Last-Modified": dayBefore])
      try expectLifetime(lifetime, ["Cache-Control": directives, "Expires": "0"])
    }

    @Test(
      "1.2.2: a number that is too large stands for 2^31",
      arguments: ["2147483649", "99999999999", "99999999999999999999999999"])
    func overflow(_ number: String) throws {
      try expectLifetime(2_147_483_648, ["Cache-Control": "max-age=\(number)"])
    }

    @Test(
      "4.2.1: what is no number is stale",
      arguments: [
        "max-age", "max-age=", "max-age=x", "max-age=-1", "max-age=1.5", "max-age=60x", "max-age=60 x", "max-age =60",
        "max-age= 60",
        "max-age='60'", "max-age=\"\"", "max-age=60;x", "max-age=+60", "max-age=６０",
      ])
    func invalid(_ directives: String) throws {
      try expectLifetime(0, ["Cache-Control": directives, "Expires": hourAfter])
    }

    @Test("4.2.1: several that differ are stale") func severalValues() throws {
      try expectLifetime(60, ["Cache-Control": "max-age=60, max-age=60"])
      try expectLifetime(0, ["Cache-Control": "max-age=60, max-age=100"])
      try expectLifetime(0, ["Cache-Control": "max-age=60", "cache-control": "max-age=100"])
      try expectLifetime(0, ["Cache-Control": "max-age=60, max-age=x"])
      try expectLifetime(3600, ["Expires": hourAfter, "expires": hourAfter])
      try expectLifetime(0, ["Expires": hourAfter, "expires": dayBefore])
    }

    @Test("4.2.1: of directives that conflict the most restrictive counts") func conflicts() throws {
      #expect(try reason(["Cache-Control": "max-age=60, no-cache"], after: 0) == .noCache)
      #expect(try reason(["Cache-Control": "max-age=60, immutable, no-cache"], after: 0) == .noCache)
    }

    @Test("4.2.1, 5.2.2.10: s-maxage, in a shared cache") func sharedMaxAge() throws {
      try expectLifetime(60, ["Cache-Control": "s-maxage=60, max-age=5", "Expires": dayBefore], in: .shared)
      try expectLifetime(5, ["Cache-Control": "max-age=5"], in: .shared)
      try expectLifetime(0, ["Cache-Control": "s-maxage=x, max-age=60"], in: .shared)
    }

    @Test(
      "4.2.1, 5.3: Expires less Date",
      arguments: [
        (hourAfter, dateField, 3600), (hourAfter, nil, 3600), (dateField, dateField, 0), (dayBefore, dateField, 0),
        // Section 4.2: dates compare without regard to case, in all formats, and in no local zone.
        ("tue, 14 nov 2023 23:13:20 gmt", dateField, 3600), ("Tuesday, 14-Nov-23 23:13:20 GMT", dateField, 3600),
        ("Tue Nov 14 23:13:20 2023", dateField, 3600),
        // A zone other than GMT is invalid.
        ("Tue, 14 Nov 2023 23:13:20 UTC", dateField, 0), ("Tue, 14 Nov 2023 23:13:20 EST", dateField, 0),
        ("Tue, 14 Nov 2023 23:13:20 +0000", dateField, 0),
        // Section 5.3: what is no date has passed.
        ("Tue, 14  Nov  2023 23:13:20 GMT", dateField, 0), ("Tue, 14-Nov-2023 23:13:20 GMT", dateField, 0),
        ("Tue, 14 Nov 2023 3:13:20 GMT", "Tue, 14 Nov 2023 00:00:00 GMT", 0),
        ("0", dateField, 0), ("-1", dateField, 0), ("", dateField, 0), ("3600", dateField, 0), ("never", dateField, 0),
        ("\(hourAfter), \(hourAfter)", dateField, 0),
      ] as [(String, String?, TimeInterval)])
    func expires(_ expires: String, _ date: String?, _ lifetime: TimeInterval) throws {
      var fields: HTTPFields = ["Expires": expires, "Last-Modified": dayBefore]
      fields["Date"] = date
      try expectLifetime(lifetime, fields)
    }

    @Test("4.2.1: a clock that is wrong at the source does not change the lifetime") func skew() throws {
      // By the source's clock it is an hour earlier; the response is an hour old by ours.
      let head = try stored(["Expires": "Tue, 14 Nov 2023 23:43:20 GMT", "Date": "Tue, 14 Nov 2023 21:13:20 GMT"])
      let behind = Freshness(of: head, head.directives, in: .private, at: date)
      #expect(behind.lifetime == 9000 && behind.age == 3600)
      let other = try stored(["Expires": "Wed, 15 Nov 2023 00:13:20 GMT", "Date": hourAfter])
      let ahead = Freshness(of: other, other.directives, in: .private, at: date + 5)
      #expect(ahead.lifetime == 3600 && ahead.age == 5)
    }

    @Test("4.2.2: a tenth of the time since the last modification, a day at most") func heuristic() throws {
      try expectLifetime(8640, ["Last-Modified": dayBefore])
      try expectLifetime(8640, ["Last-Modified": dayBefore], status: 404)
      try expectLifetime(86_400, ["Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT"])
      try expectLifetime(0, ["Last-Modified": hourAfter])
      try expectLifetime(0, ["Last-Modified": "x"])
      try expectLifetime(0, [:])
    }

    @Test("4.2.2: not for other statuses, unless they are marked as cacheable") func heuristicStatuses() throws {
      try expectLifetime(0, ["Last-Modified": dayBefore, "Expires": "0"], status: 302)
      try expectLifetime(8640, ["Last-Modified": dayBefore, "Cache-Control": "public"], status: 599)
      try expectLifetime(8640, ["Last-Modified": dayBefore, "Cache-Control": "private"], status: 599)
      try expectLifetime(8640, ["Last-Modified": dayBefore, "Cache-Control": "public"], status: 302, in: .shared)
    }

    @Test("4.2.2: not where there is an explicit time") func explicit() throws {
      try expectLifetime(0, ["Last-Modified": dayBefore, "Cache-Control": "max-age=x"])
      try expectLifetime(0, ["Last-Modified": dayBefore, "Expires": "x"])
    }

    @Test(
      "4.2.3, 5.1: the age that came with it counts",
      arguments: [
        ("10", 10), ("10, 20", 10), (" 10 ", 10), ("0", 0), ("", 0), ("x", 0), ("-5", 0), ("1.5", 0), ("x, 10", 0),
        (", 10", 0),
        ("99999999999999999999", 2_147_483_648),
      ])
    func age(_ field: String, _ age: Int64) throws {
      let head = try stored(["Age": field, "Cache-Control": "max-age=60"])
      let rules = CacheRules()
      #expect(rules.age(of: head, at: date) == age)
      #expect(rules.age(of: head, at: date + 7.9) == min(age + 7, 2_147_483_648))
    }

    @Test("4.2.1: several lines of Age or Date that differ make it stale, the same one twice is one")
    func severalLines() throws {
      let ages = try stored(["Age": "10", "age": "20", "Cache-Control": "max-age=60"])
      #expect(lookup([ages], after: 0).reason == .stale)
      let dates = try stored(["Date": dateField, "date": hourAfter, "Cache-Control": "max-age=60"])
      #expect(lookup([dates], after: 0).reason == .stale)
      let same = try stored([
        "Age": "10", "age": "10", "Date": dateField, "date": dateField, "Cache-Control": "max-age=60",
      ])
      #expect(CacheRules().age(of: same, at: date) == 10)
      #expect(lookup([same], after: 0).reason == .fresh)
    }

    @Test("4.2.3: the age is counted from the request on, or from Date") func correctedAge() throws {
      var head = try stored(["Age": "10", "Cache-Control": "max-age=60", "Date": dateField])
      head.requestDate = date - 3
      #expect(CacheRules().age(of: head, at: date + 5) == 18)
      // Apparent age: Date is longer ago than the sum.
      head.fields["Date"] = "Tue, 14 Nov 2023 22:12:50 GMT"
      #expect(CacheRules().age(of: head, at: date + 5) == 35)
      // A date that is to come makes nothing younger.
      head.fields["Date"] = hourAfter
      #expect(CacheRules().age(of: head, at: date + 5) == 18)
    }

    @Test("4.2.3: the fraction of a second that Date lacks is no age") func fractions() throws {
      var head = try stored(["Cache-Control": "max-age=1", "Date": dateField])
      (head.requestDate, head.responseDate) = (date + 0.9, date + 0.95)
      #expect(lookup([head], after: 1.8).reason == .fresh)
      #expect(lookup([head], after: 2).reason == .stale)
    }

    @Test("4: without a clock everything is validated, and so it is after the clock was set back") func clock() throws {
      let head = try stored(["Cache-Control": "max-age=60"])
      #expect(lookup([head], after: -59).reason == .fresh)
      #expect(lookup([head], after: -61).reason == .stale)
      for now in [
        Date.distantPast, .distantFuture, Date(timeIntervalSince1970: .nan), Date(timeIntervalSince1970: .infinity),
      ] {
        #expect(CacheRules().lookup(request(), among: [head], at: now).reason == .stale)
      }
    }

    @Test("4, 5.1: an answer that was not validated has an age, one that was has none of ours") func ageField() throws {
      let head = try stored(["Age": "10", "Cache-Control": "max-age=60"])
      #expect(CacheRules().answer(from: head, to: request(), at: date + 5)?.fields.values(of: "Age") == ["15"])
      let fresh = CacheRules().freshened(head, by: response([:], status: 304), requestDate: date, responseDate: date)
      #expect(CacheRules().answer(from: fresh, to: request(), at: date, isValidated: true)?.fields["Age"] == nil)
    }
  }
}
