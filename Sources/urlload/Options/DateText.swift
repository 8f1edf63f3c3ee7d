import URLLoading
internal import URLLoadingHTTPSemantics

/// A date as curl_getdate(3) reads it: `2026-01-31`, `2026-01-31T12:00:00Z`, `Sat, 31 Jan 2026 12:00 +0100`, and those of HTTP. Without a
/// time it is midnight, without a zone UTC.
enum DateText {
  private static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
  private static let weekdays = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
  private static let limits = [
    Calendar.Component.month: 1...12, .day: 1...31, .hour: 0...23, .minute: 0...59, .second: 0...60,
  ]

  /// Nil for what is no date.
  static func date(_ text: String) -> Date? {
    if let date = HTTPDate.date(from: text, now: Date()) { return date }
    guard text.utf8.count <= 64 else { return nil }
    var fields = DateComponents(hour: 0, minute: 0, second: 0)
    var zone = 0
    var words = text.lowercased().split { $0 == " " || $0 == "," }[...]
    while let word = words.popFirst() {
      if let match = word.wholeMatch(of: /([0-9]{4})-?([0-9]{2})-?([0-9]{2})(?:t(.+))?/) {
        (fields.year, fields.month, fields.day) = (Int(match.1), Int(match.2), Int(match.3))
        if let time = match.4 { words = [time] + words }
      } else if let match = word.wholeMatch(of: /([0-9]{1,2}):([0-9]{2})(?::([0-9]{2}))?(?:\.[0-9]+)?(z|[+-].+)?/) {
        (fields.hour, fields.minute, fields.second) = (Int(match.1), Int(match.2), match.3.flatMap { Int($0) } ?? 0)
        if let zone = match.4 { words = [zone] + words }
      } else if let match = word.wholeMatch(of: /([+-])([0-9]{2}):?([0-9]{2})/) {
        zone = ((Int(match.2) ?? 0) * 60 + (Int(match.3) ?? 0)) * (match.1 == "-" ? -60 : 60)
      } else if let month = months.firstIndex(where: { word.count >= 3 && word.hasPrefix($0) }) {
        fields.month = month + 1
      } else if let number = Int(word), word.allSatisfy({ $0.isASCII && $0.isNumber }) {
        if word.count == 4 { fields.year = number } else { fields.day = number }
      } else if !["z", "gmt", "utc"].contains(word), !weekdays.contains(where: word.hasPrefix) {
        return nil
      }
    }
    guard fields.year != nil, limits.allSatisfy({ $1.contains(fields.value(for: $0) ?? -1) }) else { return nil }
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    return calendar.date(from: fields)?.addingTimeInterval(-TimeInterval(zone))
  }
}
