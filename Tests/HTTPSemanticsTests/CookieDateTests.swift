import Foundation
import Testing

@testable import URLLoadingHTTPSemantics

@Suite struct CookieDateTests {
  @Test(arguments: [
    "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
    "06 November 1994 8:49:37", "1994 06 nov 08:49:37 PST", "08:49:37 06 Nov 94", "6-Nov-1994-08:49:37xyz",
    "Sun,06-Nov-1994 08:49:37 +0100", "06Z Novembre 1994AD 08:49:37",
  ])
  func readsWhateverServersWrite(text: String) {
    #expect(CookieDate.date(from: text) == Date(timeIntervalSince1970: 784_111_777))
  }

  @Test(arguments: [
    "", "now", "Sun, 06 Nov 1994", "08:49:37", "06 Nov 1600 08:49:37", "32 Nov 1994 08:49:37", "31 Nov 1994 08:49:37",
    "06 Nov 1994 24:49:37", "06 Nov 1994 08:60:37", "06 Nov 1994 08:49:60", "06 No 1994 08:49:37",
    "006 Nov 19945 08:49:37", "0 Nov 1994 08:49:37", "06 Nov 1994 008:49:37", "06 Nov 1994 08:49",
    "99999999999999999999 Nov 1994 08:49:37",
  ])
  func refusesOthers(text: String) {
    #expect(CookieDate.date(from: text) == nil)
  }

  @Test(arguments: [(69, 2069), (70, 1970), (99, 1999), (0, 2000), (1601, 1601), (9999, 9999)])
  func years(written: Int, year: Int) throws {
    let text = "01 Jan \(written < 10 ? "0" : "")\(written) 00:00:00 GMT"
    #expect(CivilDate(try #require(CookieDate.date(from: text))).year == year)
  }
}
