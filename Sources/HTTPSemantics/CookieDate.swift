import Foundation

/// Dates of `Expires` attributes. RFC 6265bis 5.1.1 reads whatever servers have ever written: it looks for a
/// time, a day, a month and a year in this order of preference, between any delimiters.
package enum CookieDate {
  package static func date(from text: String) -> Date? {
    var time: (hour: Int, minute: Int, second: Int)?
    var day: Int?
    var month: Int?
    var year: Int?
    for token in Array(text.utf8).split(whereSeparator: isDelimiter) {
      if time == nil, let found = timeOfDay(token) {
        time = found
      } else if day == nil, let found = number(token, digits: 1...2) {
        day = found
      } else if month == nil, let found = CivilDate.month(named: Substring(decoding: token, as: UTF8.self)) {
        month = found
      } else if year == nil, let found = number(token, digits: 2...4) {
        year = found
      }
    }
    guard let time, let day, let month, var year else { return nil }
    if (70...99).contains(year) { year += 1900 }
    if (0...69).contains(year) { year += 2000 }
    guard year >= 1601, time.second <= 59 else { return nil }
    return CivilDate(
      year: year, month: month, day: day, hour: time.hour, minute: time.minute, second: time.second
    ).date
  }

  private static func isDelimiter(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x09, 0x20...0x2F, 0x3B...0x40, 0x5B...0x60, 0x7B...0x7E: true
    default: false
    }
  }

  /// `h:m:s` in one or two digits each; what follows a last part that is no digit does not matter.
  private static func timeOfDay(_ token: ArraySlice<UInt8>) -> (Int, Int, Int)? {
    let parts = token.split(separator: UInt8(ascii: ":"), maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0].allSatisfy(\.isASCIIDigit), parts[1].allSatisfy(\.isASCIIDigit),
      let hour = number(parts[0], digits: 1...2), let minute = number(parts[1], digits: 1...2),
      let second = number(parts[2], digits: 1...2)
    else { return nil }
    return (hour, minute, second)
  }

  /// A number of so many digits at the start of a token, which goes on with something else or not at all.
  private static func number(_ token: ArraySlice<UInt8>, digits: ClosedRange<Int>) -> Int? {
    let prefix = token.prefix(while: \.isASCIIDigit)
    guard digits.contains(prefix.count) else { return nil }
    return prefix.reduce(0) { $0 * 10 + Int($1 & 0x0F) }
  }
}
