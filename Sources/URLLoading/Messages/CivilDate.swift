import Foundation

/// A date of the proleptic Gregorian calendar in UTC, to the second: what HTTP and cookies write as text.
struct CivilDate: Equatable {
  var year: Int
  var month: Int
  var day: Int
  var hour = 0
  var minute = 0
  var second = 0

  static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
  static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]

  init(year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0, second: Int = 0) {
    self.year = year
    self.month = month
    self.day = day
    self.hour = hour
    self.minute = minute
    self.second = second
  }

  /// The date of a moment, its fraction of a second dropped. Moments outside the years 0 to 9999, which no
  /// date format here can write, become the nearest one that it can.
  init(_ date: Date) {
    let earliest = -62_167_219_200.0
    let latest = 253_402_300_799.0
    let interval = date.timeIntervalSince1970
    let seconds = Int(interval.isNaN ? 0 : min(max(interval.rounded(.down), earliest), latest))
    let days = Self.floorDivide(seconds, 86_400)
    let rest = seconds - days * 86_400
    // Counting years from March puts the leap day last, which makes month lengths a linear formula.
    let shifted = days + 719_468
    let era = Self.floorDivide(shifted, 146_097)
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    hour = rest / 3600
    minute = rest % 3600 / 60
    second = rest % 60
  }

  /// Days since 1 January 1970.
  var daysSince1970: Int {
    let shiftedYear = month <= 2 ? year - 1 : year
    let era = Self.floorDivide(shiftedYear, 400)
    let yearOfEra = shiftedYear - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }

  /// 0 for Sunday to 6 for Saturday.
  var weekday: Int {
    let days = daysSince1970 + 4
    return days - Self.floorDivide(days, 7) * 7
  }

  /// The moment, or nil if a part is out of its range. A leap second counts as the one before it.
  var date: Date? {
    guard (0...9999).contains(year), (1...12).contains(month), (1...daysInMonth).contains(day),
      (0..<24).contains(hour), (0..<60).contains(minute), (0...60).contains(second)
    else { return nil }
    let seconds = daysSince1970 * 86_400 + hour * 3600 + minute * 60 + min(second, 59)
    return Date(timeIntervalSince1970: TimeInterval(seconds))
  }

  /// The number of a month by the first three letters of its name in any case.
  static func month(named name: some StringProtocol) -> Int? {
    months.firstIndex { name.prefix(3).equalsIgnoringASCIICase($0) }.map { $0 + 1 }
  }

  private var daysInMonth: Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  private static func floorDivide(_ number: Int, _ divisor: Int) -> Int {
    let quotient = number / divisor
    return number % divisor < 0 ? quotient - 1 : quotient
  }
}
