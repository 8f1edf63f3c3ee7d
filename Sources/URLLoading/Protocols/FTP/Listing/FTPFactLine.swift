internal import URLLoadingHTTPSemantics

/// Lines of an MLSD listing (RFC 3659, section 7.2): `type=file;size=12;modify=20260102030405; name`.
enum FTPFactLine {
  /// - Parameter line: without its end.
  static func read(_ line: ArraySlice<UInt8>) -> FTPListedLine {
    guard let (facts, name) = split(line), !name.isEmpty else { return .unreadable }
    var file = FTPListedFile(name: name, kind: .unknown)
    for fact in facts.split(separator: UInt8(ascii: ";")) {
      guard let equals = fact.firstIndex(of: UInt8(ascii: "=")) else { return .unreadable }
      let value = fact[fact.index(after: equals)...]
      switch fact[..<equals].lowercasedWord {
      case "type":
        let type = value.lowercasedWord
        // The directory that is listed, and the one above it.
        if type == "cdir" || type == "pdir" { return .nothing }
        file.kind = kind(type)
      case "size": file.size = value.decimal
      case "modify": file.date = date(value)
      default: break
      }
    }
    if file.kind != .file, file.kind != .unknown { file.size = nil }
    return .file(file)
  }

  /// Facts, each ended by a semicolon; a space; the name, which may have all of these in it.
  private static func split(_ line: ArraySlice<UInt8>) -> (facts: ArraySlice<UInt8>, name: ArraySlice<UInt8>)? {
    if line.first == UInt8(ascii: " ") { return ([], line.dropFirst()) }
    // Values have no spaces by the standard; the targets of links, which some servers put there, may.
    for index in line.indices.dropLast()
    where line[index] == UInt8(ascii: ";") && line[index + 1] == UInt8(ascii: " ") {
      return (line[..<index], line[(index + 2)...])
    }
    return nil
  }

  private static func kind(_ type: String) -> URLDirectoryEntry.Kind {
    switch type {
    case "file": .file
    case "dir": .directory
    case _ where type.hasPrefix("os.unix=slink") || type.hasPrefix("os.unix=symlink"): .symbolicLink
    default: .other
    }
  }

  /// RFC 3659, section 2.3: `YYYYMMDDHHMMSS`, in UTC, perhaps with a fraction of a second.
  private static func date(_ value: ArraySlice<UInt8>) -> Date? {
    let parts = value.split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
    guard let digits = parts.first, digits.count == 14, digits.decimal != nil else { return nil }
    func number(_ offset: Int, _ count: Int) -> Int {
      let start = digits.startIndex + offset
      return Int(digits[start..<start + count].decimal ?? 0)
    }
    let date = CivilDate(
      year: number(0, 4), month: number(4, 2), day: number(6, 2), hour: number(8, 2), minute: number(10, 2),
      second: number(12, 2)
    ).date
    guard parts.count == 2, (1...9).contains(parts[1].count), let fraction = parts[1].decimal else { return date }
    return date?.addingTimeInterval(Double(fraction) / pow(10, Double(parts[1].count)))
  }
}
