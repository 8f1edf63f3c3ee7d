import Foundation

/// Sizes, rates and times as short text.
enum ByteText {
  /// `999 B`, `1.2 kB`, `34.5 MB` …
  static func size(_ count: Int64) -> String {
    let units = ["B", "kB", "MB", "GB", "TB", "PB", "EB"]
    var value = Double(count)
    var unit = 0
    // What would be rounded to 1000 of a unit is one of the next.
    while value >= 999.95, unit < units.count - 1 {
      value /= 1000
      unit += 1
    }
    return unit == 0 ? "\(count) B" : String(format: "%.1f ", value) + units[unit]
  }

  /// `5 s`, `2:05`, `1:02:05`; seconds are rounded up.
  static func time(_ seconds: Double) -> String {
    guard seconds.isFinite, seconds < 360_000 else { return "long" }
    let whole = Int(max(0, seconds).rounded(.up))
    if whole < 60 { return "\(whole) s" }
    if whole < 3600 { return String(format: "%d:%02d", whole / 60, whole % 60) }
    return String(format: "%d:%02d:%02d", whole / 3600, whole / 60 % 60, whole % 60)
  }
}
