/// Text that a server, a file or a directory brings, for lines of terminals, logs and messages.
package enum ForeignText {
  /// Makes one line of it: nothing is left in it that moves a terminal's cursor, ends a line, turns the order of writing or is invisible.
  /// - Parameters:
  ///   - limit: scalars that are read, since a `Character` has any number of them.
  ///   - blank: what stands for a tab and for the end of a line, that of two scalars too; nil to have them like the others.
  ///   - substitute: what stands for each other scalar that is not shown; nil for nothing.
  package static func line(
    _ text: some StringProtocol, limit: Int = .max, blank: Unicode.Scalar? = nil,
    substitute: Unicode.Scalar? = "\u{FFFD}"
  ) -> String {
    var line = String.UnicodeScalarView()
    var last: Unicode.Scalar?
    for scalar in text.unicodeScalars.prefix(limit) {
      defer { last = scalar }
      if isShown(scalar) {
        line.append(scalar)
      } else if let blank, scalar.properties.isWhitespace {
        // Of white space only tabs and ends of lines are not shown.
        if scalar != "\n" || last != "\r" { line.append(blank) }
      } else if let substitute {
        line.append(substitute)
      }
    }
    return String(line)
  }

  /// Whether a scalar takes its place in a line, and nothing else happens.
  package static func isShown(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII { return scalar.value >= 0x20 && scalar.value != 0x7F }
    let properties = scalar.properties
    // Marks of direction, the byte order mark, fillers and the like. Joiners are in words of Persian and of languages of India, and in
    // emoji, which have variation selectors, too.
    if properties.isDefaultIgnorableCodePoint {
      return scalar == "\u{200C}" || scalar == "\u{200D}" || properties.isVariationSelector
    }
    switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: return false
    default: return true
    }
  }
}
