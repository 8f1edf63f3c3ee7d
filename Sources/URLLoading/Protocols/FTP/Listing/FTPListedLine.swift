/// What a line of a listing says.
enum FTPListedLine: Equatable {
  /// No entry: a total, the directory itself.
  case nothing
  /// An entry; its name has not been looked at.
  case file(FTPListedFile)
  /// In no known format.
  case unreadable
}

/// An entry as a server describes it.
struct FTPListedFile: Equatable {
  var name: ArraySlice<UInt8>
  var kind: URLDirectoryEntry.Kind
  var size: Int64?
  var date: Date?
}

extension ArraySlice<UInt8> {
  /// The number that the slice is, all of it digits; nil where it is not one, or too large.
  var decimal: Int64? {
    guard !isEmpty else { return nil }
    var number: Int64 = 0
    for byte in self {
      guard byte &- 48 < 10 else { return nil }
      let (tenfold, overflows) = number.multipliedReportingOverflow(by: 10)
      let (sum, overflowsToo) = tenfold.addingReportingOverflow(Int64(byte - 48))
      guard !overflows, !overflowsToo else { return nil }
      number = sum
    }
    return number
  }

  /// The same of at most so many digits.
  func decimal(digits: ClosedRange<Int>) -> Int? {
    digits.contains(count) ? decimal.flatMap { Int(exactly: $0) } : nil
  }

  /// The slice as text in lower case.
  var lowercasedWord: String { String(decoding: self, as: UTF8.self).lowercased() }
}
