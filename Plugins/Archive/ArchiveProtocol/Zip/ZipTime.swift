import Foundation

/// The ways in which zip writes times.
enum ZipTime {
  /// MS-DOS's date and time (APPNOTE 4.4.6): local time of an unknown zone, taken for UTC, so that an archive gives the same dates
  /// everywhere. Nil where they are no date.
  static func date(dosDate: UInt16, dosTime: UInt16) -> Date? {
    let day = Int(dosDate & 31)
    let month = Int(dosDate >> 5 & 15)
    let hour = Int(dosTime >> 11)
    let minute = Int(dosTime >> 5 & 63)
    let second = Int(dosTime & 31) * 2
    guard (1...31).contains(day), (1...12).contains(month), hour < 24, minute < 60, second < 60 else { return nil }
    // Counting years from March puts the leap day last. From 1980 to 2107, 2100 alone of the years by four is no leap year.
    let year = 1980 + Int(dosDate >> 9) - (month <= 2 ? 1 : 0)
    let shiftedMonth = (month + 9) % 12
    let leapDays = year / 4 - year / 100 + year / 400
    let days = year * 365 + leapDays + (153 * shiftedMonth + 2) / 5 + day - 1 - 719_468
    return Date(timeIntervalSince1970: Double(days * 86_400 + hour * 3600 + minute * 60 + second))
  }

  /// The modification time of Info-ZIP's extended timestamp: a flag that it is present, and seconds since 1970.
  static func date(extendedTimestamp bytes: UnsafeRawBufferPointer, in data: Range<Int>) -> Date? {
    guard data.count >= 5, bytes[data.lowerBound] & 1 != 0 else { return nil }
    return date(seconds: bytes.uint32(at: data.lowerBound + 1))
  }

  /// The modification time of Info-ZIP's older Unix field, after that of the last access.
  static func date(unix bytes: UnsafeRawBufferPointer, in data: Range<Int>) -> Date? {
    data.count >= 8 ? date(seconds: bytes.uint32(at: data.lowerBound + 4)) : nil
  }

  /// The modification time of the NTFS field: its attribute 1 begins with it, in tenths of microseconds since 1601.
  static func date(ntfs bytes: UnsafeRawBufferPointer, in data: Range<Int>) -> Date? {
    var position = data.lowerBound + 4
    while position <= data.upperBound - 4 {
      let size = Int(bytes.uint16(at: position + 2))
      guard size <= data.upperBound - position - 4 else { return nil }
      if bytes.uint16(at: position) == 1, size >= 8 {
        let ticks = bytes.uint64(at: position + 4)
        return ticks == 0 ? nil : Date(timeIntervalSince1970: Double(ticks) / 10_000_000 - 11_644_473_600)
      }
      position += 4 + size
    }
    return nil
  }

  private static func date(seconds: UInt32) -> Date {
    Date(timeIntervalSince1970: Double(Int32(bitPattern: seconds)))
  }
}
