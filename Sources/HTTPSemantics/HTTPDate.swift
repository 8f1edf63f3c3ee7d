import Foundation

/// Dates as HTTP fields write them (RFC 9110 5.6.7). Without DateFormatter, which is slow and locks.
package enum HTTPDate {
  /// The preferred format: `Sun, 06 Nov 1994 08:49:37 GMT`.
  package static func string(from date: Date) -> String {
    let parts = CivilDate(date)
    let year = String(parts.year)
    return "\(CivilDate.weekdays[parts.weekday]), \(padded(parts.day)) \(CivilDate.months[parts.month - 1]) "
      + String(repeating: "0", count: 4 - year.utf8.count) + year
      + " \(padded(parts.hour)):\(padded(parts.minute)):\(padded(parts.second)) GMT"
  }

  /// Reads the preferred format and the two obsolete ones (RFC 850 and asctime), all of which a recipient
  /// must accept, in any case (RFC 9111 4.2). Anything else is not a date: in `Expires` it counts as past (RFC 9111 5.3).
  /// Two-digit years more than 50 years ahead of `now` are in the past.
  @inlinable
  package static func date(from text: some StringProtocol, now: Date) -> Date? {
    if let date = text.utf8.withContiguousStorageIfAvailable({ preferredDate($0) }) ?? nil { return date }
    return anyDate(from: Substring(text), now: now)
  }

  /// Reads any of the formats.
  @usableFromInline
  static func anyDate(from text: Substring, now: Date) -> Date? {
    let text = text.trimmingFieldWhitespace
    guard text.utf8.count <= 64 else { return nil }
    guard text.utf8.contains(UInt8(ascii: ",")) else {
      // A day of one digit has a space before it.
      let words = text.split(separator: " ", omittingEmptySubsequences: true)
      return words.count == 5 ? asctime(words) : nil
    }
    let words = text.split(separator: " ", omittingEmptySubsequences: false)
    guard words[0].hasSuffix(",") else { return nil }
    // Weekdays have three letters in the one format, and all of theirs in the other.
    if words[0].utf8.count == 4 { return words.count == 6 ? fixdate(words) : nil }
    return words.count == 4 ? rfc850(words, now: now) : nil
  }

  /// Reads the preferred format where it is as it has to be: nearly always, at a tenth of the cost.
  @usableFromInline
  static func preferredDate(_ bytes: UnsafeBufferPointer<UInt8>) -> Date? {
    let layout: StaticString = "Aaa, 00 Aaa 0000 00:00:00 GMT"
    guard bytes.count == layout.utf8CodeUnitCount else { return nil }
    for index in bytes.indices {
      switch layout.utf8Start[index] {
      case UInt8(ascii: "0"): guard bytes[index] &- 48 < 10 else { return nil }
      case UInt8(ascii: "A"), UInt8(ascii: "a"): break
      case let byte: guard bytes[index] == byte else { return nil }
      }
    }
    func number(_ start: Int, _ count: Int) -> Int {
      bytes[start..<start + count].reduce(0) { $0 * 10 + Int($1 - 48) }
    }
    func index(of start: Int, in names: StaticString) -> Int? {
      (0..<names.utf8CodeUnitCount / 3).first { name in
        (0..<3).allSatisfy { names.utf8Start[3 * name + $0] == bytes[start + $0] }
      }
    }
    guard index(of: 0, in: "SunMonTueWedThuFriSat") != nil,
      let month = index(of: 8, in: "JanFebMarAprMayJunJulAugSepOctNovDec")
    else { return nil }
    return CivilDate(
      year: number(12, 4), month: month + 1, day: number(5, 2), hour: number(17, 2), minute: number(20, 2),
      second: number(23, 2)
    ).date
  }

  private static func fixdate(_ words: [Substring]) -> Date? {
    guard isWeekday(words[0]), isUTC(words[5]) else { return nil }
    return date(day: words[1], month: words[2], year: number(words[3], digits: 4), time: words[4])
  }

  private static func rfc850(_ words: [Substring], now: Date) -> Date? {
    let parts = words[1].split(separator: "-", omittingEmptySubsequences: false)
    guard isWeekday(words[0]), isUTC(words[3]), parts.count == 3 else { return nil }
    var year = number(parts[2], digits: 4)
    if let short = number(parts[2], digits: 2), parts[2].utf8.count == 2 {
      let current = CivilDate(now).year
      var full = current - current % 100 + short
      if full > current + 50 { full -= 100 }
      if full <= current - 50 { full += 100 }
      year = full
    }
    return date(day: parts[0], month: parts[1], year: year, time: words[2])
  }

  private static func asctime(_ words: [Substring]) -> Date? {
    guard words[0].utf8.count == 3, isWeekday(words[0]) else { return nil }
    return date(day: words[2], month: words[1], year: number(words[4], digits: 4), time: words[3])
  }

  private static func date(day: Substring, month: Substring, year: Int?, time: Substring) -> Date? {
    let clock = time.split(separator: ":", omittingEmptySubsequences: false)
    guard clock.count == 3, month.utf8.count == 3, let year, let month = CivilDate.month(named: month),
      let day = number(day, digits: 2), clock.allSatisfy({ $0.utf8.count == 2 }),
      let hour = number(clock[0], digits: 2),
      let minute = number(clock[1], digits: 2), let second = number(clock[2], digits: 2)
    else { return nil }
    return CivilDate(year: year, month: month, day: day, hour: hour, minute: minute, second: second).date
  }

  private static func isWeekday(_ word: Substring) -> Bool {
    CivilDate.weekdays.contains { word.hasPrefixIgnoringASCIICase($0) }
  }

  private static func isUTC(_ word: Substring) -> Bool {
    word.equalsIgnoringASCIICase("GMT") || word.equalsIgnoringASCIICase("UTC")
  }

  /// A number of one to `digits` digits; a year must have all four.
  private static func number(_ text: Substring, digits: Int) -> Int? {
    guard text.utf8.count <= digits, digits < 4 || text.utf8.count == digits else { return nil }
    return Int64(asciiDigits: text).map(Int.init)
  }

  private static func padded(_ number: Int) -> String {
    number < 10 ? "0\(number)" : "\(number)"
  }
}
