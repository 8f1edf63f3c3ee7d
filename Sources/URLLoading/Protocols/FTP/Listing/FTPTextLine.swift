internal import URLLoadingHTTPSemantics

/// Lines of a LIST listing, which no standard describes: as Unix's `ls -l` writes them, or DOS's `dir`.
///
/// Dates have no zone and are taken as UTC; most are exact to the minute, old ones to the day.
enum FTPTextLine {
  /// - Parameters:
  ///   - line: without its end.
  ///   - now: decides the year of dates that have none.
  static func read(_ line: ArraySlice<UInt8>, now: CivilDate) -> FTPListedLine {
    let words = words(of: line)
    // `total 12`, in whatever language: too short for an entry.
    if words.count == 2, words[1].decimal != nil { return .nothing }
    return (unix(line, words, now) ?? dos(line, words)).map { .file($0) } ?? .unreadable
  }

  // MARK: Unix

  private static func unix(
    _ line: ArraySlice<UInt8>, _ words: [ArraySlice<UInt8>], _ now: CivilDate
  ) -> FTPListedFile? {
    guard words.count >= 4, words[0].startIndex == line.startIndex, let kind = kind(mode: words[0]) else { return nil }
    // Between mode and date are links, owner, group and size, or fewer of these; names of owners may have spaces.
    for index in 2..<words.count {
      guard let (date, end) = date(words[index...], now) else { continue }
      let size = words[index - 1].decimal
      // One space, then the name, which may begin with spaces.
      let start = words[end].endIndex + 1
      guard start < line.endIndex, kind != .file || size != nil else { return nil }
      var name = line[start...]
      if kind == .symbolicLink, let arrow = arrow(in: name) { name = name[..<arrow] }
      return FTPListedFile(name: name, kind: kind, size: kind == .file ? size : nil, date: date)
    }
    return nil
  }

  /// `-rw-r--r--`, with a sign of further rights after it perhaps.
  private static func kind(mode: ArraySlice<UInt8>) -> URLDirectoryEntry.Kind? {
    guard (10...11).contains(mode.count), let first = mode.first,
      mode.dropFirst().prefix(9).allSatisfy({ "rwxsStTlL-".utf8.contains($0) }),
      mode.dropFirst(10).allSatisfy({ "+.@".utf8.contains($0) })
    else { return nil }
    switch first {
    case UInt8(ascii: "-"): return .file
    case UInt8(ascii: "d"): return .directory
    case UInt8(ascii: "l"): return .symbolicLink
    case _ where "bcpsD".utf8.contains(first): return .other
    default: return nil
    }
  }

  /// Where the target of a link begins to be named.
  private static func arrow(in name: ArraySlice<UInt8>) -> Int? {
    name.indices.first { name[$0...].starts(with: " -> ".utf8) }
  }

  /// A date at the beginning of some words: `Jan 2 03:04`, `Jan 2 2026`, the same with the day in front, or
  /// `2026-01-02 03:04`, with seconds and a zone perhaps.
  /// - Returns: the date, and the index of its last word.
  private static func date(_ words: ArraySlice<ArraySlice<UInt8>>, _ now: CivilDate) -> (Date?, Int)? {
    guard words.count >= 2 else { return nil }
    let first = words.startIndex
    let (one, two) = (words[first], words[first + 1])
    if one.count == 10, let date = dashedDate(one), let time = clock(two) {
      // A zone comes with seconds only, and is not the name.
      let offset = two.count > 5 && words.count > 3 ? zone(words[first + 2]) : nil
      let moment = CivilDate(
        year: date.year, month: date.month, day: date.day, hour: time.hour, minute: time.minute, second: time.second)
      return (moment.date?.addingTimeInterval(-(offset ?? 0)), offset == nil ? first + 1 : first + 2)
    }
    guard words.count >= 3 else { return nil }
    let three = words[first + 2]
    guard let (month, day) = monthAndDay(one, two) ?? monthAndDay(two, one) else { return nil }
    if let year = three.decimal(digits: 4...4) {
      return (CivilDate(year: year, month: month, day: day).date, first + 2)
    }
    guard let time = clock(three) else { return nil }
    return (recent(month, day, time, now), first + 2)
  }

  private static func monthAndDay(_ month: ArraySlice<UInt8>, _ day: ArraySlice<UInt8>) -> (Int, Int)? {
    guard month.count == 3, let number = CivilDate.month(named: Substring(decoding: month, as: UTF8.self)),
      let day = day.decimal(digits: 1...2), (1...31).contains(day)
    else { return nil }
    return (number, day)
  }

  /// The last such date that is not in the future; the server's clock and zone may be a day ahead of ours.
  private static func recent(
    _ month: Int, _ day: Int, _ time: (hour: Int, minute: Int, second: Int), _ now: CivilDate
  ) -> Date? {
    guard let latest = now.date?.addingTimeInterval(86_400) else { return nil }
    // 29 February may be eight years ago; the clock may have passed New Year's Eve already.
    for year in stride(from: now.year + 1, through: now.year - 8, by: -1) {
      let civil = CivilDate(year: year, month: month, day: day, hour: time.hour, minute: time.minute)
      if let date = civil.date, date <= latest { return date }
    }
    return nil
  }

  private static func dashedDate(_ word: ArraySlice<UInt8>) -> (year: Int, month: Int, day: Int)? {
    let parts = word.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    guard parts.count == 3, let year = parts[0].decimal(digits: 4...4), let month = parts[1].decimal(digits: 2...2),
      let day = parts[2].decimal(digits: 2...2)
    else { return nil }
    return (year, month, day)
  }

  /// `3:04`, `03:04:05` or `03:04:05.678`.
  private static func clock(_ word: ArraySlice<UInt8>) -> (hour: Int, minute: Int, second: Int)? {
    let whole = word.prefix { $0 != UInt8(ascii: ".") }
    let parts = whole.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    guard (2...3).contains(parts.count), let hour = parts[0].decimal(digits: 1...2), hour < 24,
      let minute = parts[1].decimal(digits: 2...2), minute < 60
    else { return nil }
    guard parts.count == 3 else { return (hour, minute, 0) }
    return parts[2].decimal(digits: 2...2).map { (hour, minute, $0) }
  }

  /// Seconds east of Greenwich, of `+0100`.
  private static func zone(_ word: ArraySlice<UInt8>) -> TimeInterval? {
    guard word.count == 5, let sign = word.first, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"),
      let number = word.dropFirst().decimal
    else { return nil }
    let seconds = TimeInterval(number / 100 * 3600 + number % 100 * 60)
    return sign == UInt8(ascii: "-") ? -seconds : seconds
  }

  // MARK: DOS

  /// `01-02-26  03:04PM  <DIR>  name`, or a size in the place of `<DIR>`.
  private static func dos(_ line: ArraySlice<UInt8>, _ words: [ArraySlice<UInt8>]) -> FTPListedFile? {
    guard words.count >= 4, let day = dosDate(words[0]), let time = dosTime(words[1]) else { return nil }
    let date = CivilDate(
      year: day.year, month: day.month, day: day.day, hour: time.hour, minute: time.minute
    ).date
    let start = words[2].endIndex + 1
    let name = line[start...]
    switch String(decoding: words[2], as: UTF8.self) {
    case "<DIR>", "<JUNCTION>":
      // The name is in a column of its own; that of a junction is followed by its target.
      let kind = words[2].count == 5 ? URLDirectoryEntry.Kind.directory : .symbolicLink
      return FTPListedFile(name: withoutTarget(name.drop { $0 == 32 }, kind), kind: kind, date: date)
    case "<SYMLINK>", "<SYMLINKD>":
      return FTPListedFile(name: withoutTarget(name.drop { $0 == 32 }, .symbolicLink), kind: .symbolicLink, date: date)
    default:
      guard let size = ArraySlice(words[2].filter { $0 != UInt8(ascii: ",") }).decimal else { return nil }
      return FTPListedFile(name: name, kind: .file, size: size, date: date)
    }
  }

  private static func withoutTarget(
    _ name: ArraySlice<UInt8>, _ kind: URLDirectoryEntry.Kind
  ) -> ArraySlice<UInt8> {
    guard kind == .symbolicLink, name.last == UInt8(ascii: "]"),
      let bracket = name.indices.first(where: { name[$0...].starts(with: " [".utf8) })
    else { return name }
    return name[..<bracket]
  }

  private static func dosDate(_ word: ArraySlice<UInt8>) -> (year: Int, month: Int, day: Int)? {
    let parts = word.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    guard parts.count == 3, let month = parts[0].decimal(digits: 2...2), let day = parts[1].decimal(digits: 2...2),
      let year = parts[2].decimal(digits: 2...4), parts[2].count != 3
    else { return nil }
    return (year < 70 ? year + 2000 : year < 100 ? year + 1900 : year, month, day)
  }

  /// `03:04PM`, or `15:04`.
  private static func dosTime(_ word: ArraySlice<UInt8>) -> (hour: Int, minute: Int)? {
    guard word.count == 7 || word.count == 5, let time = clock(word.prefix(5)) else { return nil }
    switch word.dropFirst(5).lowercasedWord {
    case "": return (time.hour, time.minute)
    case "am": return (time.hour % 12, time.minute)
    case "pm": return (time.hour % 12 + 12, time.minute)
    default: return nil
    }
  }

  // MARK: Words

  /// What stands between spaces, from the left: no more than a line can have in front of its name.
  private static func words(of line: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
    var words: [ArraySlice<UInt8>] = []
    var index = line.startIndex
    while index < line.endIndex, words.count < 16 {
      guard line[index] != UInt8(ascii: " ") else {
        index += 1
        continue
      }
      let start = index
      while index < line.endIndex, line[index] != UInt8(ascii: " ") { index += 1 }
      words.append(line[start..<index])
    }
    return words
  }
}
