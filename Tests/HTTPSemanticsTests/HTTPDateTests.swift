import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoadingHTTPSemantics

@Suite struct HTTPDateTests {
  private static let example = Date(timeIntervalSince1970: 784_111_777)
  private static let now = Date(timeIntervalSince1970: 1_800_000_000)

  @Test(arguments: [
    "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
    "  Sun, 06 Nov 1994 08:49:37 GMT\t", "sun, 6 nov 1994 08:49:37 gmt", "Sun, 06 Nov 1994 08:49:37 UTC",
    "Sunday, 06-Nov-1994 08:49:37 GMT",
  ])
  func readsTheThreeFormats(text: String) {
    #expect(HTTPDate.date(from: text, now: Self.now) == Self.example)
  }

  @Test(arguments: [
    "", " ", "0", "-1", "Sun", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 PST",
    "Sun, 31 Nov 1994 08:49:37 GMT", "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT",
    "Sun, 06 Nov 1994 08:60:37 GMT", "Sun, 06 Nov 1994 08:49:61 GMT", "Sun, 06 Foo 1994 08:49:37 GMT",
    "Xyz, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 94 08:49:37 GMT", "Sun, 06 Nov 19940 08:49:37 GMT",
    "Sun, 06 Nov 1994 08:49 GMT", "Sun, 06 Nov 1994 8:49:37:00 GMT", "Sun, -6 Nov 1994 08:49:37 GMT",
    "Sun, 29 Feb 1900 00:00:00 GMT", "Sun, 06 Nov 99999999999999999999 08:49:37 GMT", "1994-11-06T08:49:37Z",
    // RFC 9111, 5.3: an IMF-fixdate with two spaces, with dashes, with an hour of one digit.
    "Thu, 18  Aug  2050 02:01:18 GMT", "Thu, 18-Aug-2050 02:01:18 GMT", "Thu, 18 Aug 2050 2:01:18 GMT",
    "Thu,  18 Aug 2050 02:01:18 GMT", "Thu, 18-Aug-50 02:01:18 GMT", "Sunday, 06 Nov 1994 08:49:37 GMT",
    "Sunday, 06-Nov-94  08:49:37 GMT", "Sun Nov  6 8:49:37 1994",
    "Sun, ٠٦ Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMT\0", "Sunday, 06-Nov 08:49:37 GMT",
  ])
  func refusesOthers(text: String) {
    #expect(HTTPDate.date(from: text, now: Self.now) == nil)
  }

  @Test func survivesAnyText() {
    var random = SeededGenerator(seed: 1)
    let alphabet = Array("SunNov, 0123456789:-GMT\u{0}é")
    for _ in 0..<2000 {
      let text = String(
        (0..<Int.random(in: 0...40, using: &random)).map { _ in alphabet.randomElement(using: &random) ?? "x" })
      if let date = HTTPDate.date(from: text, now: Self.now) {
        #expect(HTTPDate.date(from: HTTPDate.string(from: date), now: Self.now) == date)
      }
    }
  }

  @Test func writesThePreferredFormat() {
    #expect(HTTPDate.string(from: Self.example) == "Sun, 06 Nov 1994 08:49:37 GMT")
    #expect(HTTPDate.string(from: Self.example.addingTimeInterval(0.999)) == "Sun, 06 Nov 1994 08:49:37 GMT")
    #expect(HTTPDate.string(from: Date(timeIntervalSince1970: 0)) == "Thu, 01 Jan 1970 00:00:00 GMT")
    #expect(HTTPDate.string(from: Date(timeIntervalSince1970: -0.5)) == "Wed, 31 Dec 1969 23:59:59 GMT")
    #expect(HTTPDate.string(from: Date(timeIntervalSince1970: 951_782_400)) == "Tue, 29 Feb 2000 00:00:00 GMT")
  }

  @Test(arguments: [TimeInterval.infinity, -.infinity, .nan, 1e300, -1e300])
  func writesSomethingForImpossibleMoments(interval: TimeInterval) {
    #expect(HTTPDate.string(from: Date(timeIntervalSince1970: interval)).utf8.count == 29)
  }

  @Test func roundTripsEveryDayOfFourCenturies() throws {
    for day in stride(from: -141_427, to: 141_427, by: 13) {
      let date = Date(timeIntervalSince1970: TimeInterval(day * 86_400 + 12_345))
      #expect(HTTPDate.date(from: HTTPDate.string(from: date), now: Self.now) == date)
    }
  }

  @Test func agreesWithFoundationsCalendar() throws {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = try #require(TimeZone(identifier: "UTC"))
    var random = SeededGenerator(seed: 2)
    for _ in 0..<500 {
      let date = Date(
        timeIntervalSince1970: TimeInterval(Int.random(in: -9_000_000_000...9_000_000_000, using: &random)))
      let expected = calendar.dateComponents([.year, .month, .day, .hour, .minute, .second, .weekday], from: date)
      let found = CivilDate(date)
      #expect(found.year == expected.year && found.month == expected.month && found.day == expected.day)
      #expect(found.hour == expected.hour && found.minute == expected.minute && found.second == expected.second)
      #expect(found.weekday + 1 == expected.weekday)
    }
  }

  @Test(arguments: [("69", 2069), ("76", 2076), ("77", 1977), ("99", 1999), ("00", 2000), ("26", 2026)])
  func placesYearsOfTwoDigitsWithinFiftyYears(short: String, year: Int) throws {
    let now = try #require(CivilDate(year: 2026, month: 6, day: 1).date)
    let date = try #require(HTTPDate.date(from: "Monday, 02-Mar-\(short) 00:00:00 GMT", now: now))
    #expect(CivilDate(date).year == year)
  }
}
