import Foundation

/// Numbers by the dates that they are due at. What was taken back is dropped when it comes to the front.
struct DateQueue {
  private var entries: [(date: Date, number: Int)] = []
  private var dates: [Int: Date] = [:]

  /// Sets when a number is due; nil for never.
  mutating func set(_ date: Date?, for number: Int) {
    guard dates[number] != date else { return }
    dates[number] = date
    guard let date else { return }
    // The latest first: what is due is at the end.
    var (low, high) = (0, entries.count)
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].date > date { low = middle + 1 } else { high = middle }
    }
    entries.insert((date, number), at: low)
  }

  /// When the next one is due.
  mutating func next() -> Date? {
    dropStale()
    return entries.last?.date
  }

  /// Takes out a number that is due.
  mutating func takeDue(_ now: Date) -> Int? {
    dropStale()
    guard let last = entries.last, last.date <= now else { return nil }
    entries.removeLast()
    dates[last.number] = nil
    return last.number
  }

  /// All numbers.
  var numbers: [Int] { Array(dates.keys) }

  private mutating func dropStale() {
    while let last = entries.last, dates[last.number] != last.date { entries.removeLast() }
  }
}
