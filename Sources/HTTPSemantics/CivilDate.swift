import Foundation
internal import URLLoadingBase

/// A date of the proleptic Gregorian calendar in UTC, to the second: what HTTP and cookies write as text.
package struct CivilDate: Equatable {
  package var year: Int
  package var month: Int
  package var day: Int
  package var hour: Int
  package var minute: Int
  package var second: Int

  package init(year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0, second: Int = 0) {
    (self.year, self.month, self.day) = (year, month, day)
    (self.hour, self.minute, self.second) = (hour, minute, second)
  }

  static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
  static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
}

extension CivilDate {
  /// The date of a moment, its fraction of a second dropped. Moments outside the years 0 to 9999, which no
  /// date format here can write, become the nearest one that it can.
  package init(_ date: Date) {
    let earliest = -62_167_219_200.0
    let latest = 253_402_300_799.0
    let interval = date.timeIntervalSince1970
    var seconds = time_t(interval.isNaN ? 0 : min(max(interval.rounded(.down), earliest), latest))
    var parts = tm()
    gmtime_r(&seconds, &parts)
    self.init(
      year: Int(parts.tm_year) + 1900, month: Int(parts.tm_mon) + 1, day: Int(parts.tm_mday), hour: Int(parts.tm_hour),
      minute: Int(parts.tm_min), second: Int(parts.tm_sec))
  }

  /// 0 for Sunday to 6 for Saturday.
  var weekday: Int { Int(counted.parts.tm_wday) }

  /// Seconds since 1970, and the parts of that moment: they differ from these where one of these is out of its range.
  private var counted: (seconds: time_t, parts: tm) {
    var parts = tm()
    (parts.tm_year, parts.tm_mon, parts.tm_mday) = (Int32(clamping: year - 1900), Int32(month - 1), Int32(day))
    (parts.tm_hour, parts.tm_min, parts.tm_sec) = (Int32(hour), Int32(minute), Int32(min(second, 59)))
    let seconds = timegm(&parts)
    return (seconds, parts)
  }

  /// The moment, or nil if a part is out of its range. A leap second counts as the one before it.
  package var date: Date? {
    guard (0...9999).contains(year), (1...12).contains(month), (1...31).contains(day), (0..<24).contains(hour),
      (0..<60).contains(minute), (0...60).contains(second)
    else { return nil }
    let (seconds, parts) = counted
    return parts.tm_mday == day ? Date(timeIntervalSince1970: TimeInterval(seconds)) : nil
  }

  /// The number of a month by the first three letters of its name in any case.
  package static func month(named name: Substring) -> Int? {
    months.firstIndex { name.prefix(3).equalsIgnoringASCIICase($0) }.map { $0 + 1 }
  }
}
