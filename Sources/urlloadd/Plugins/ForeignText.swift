/// Text that another's file or directory brings, for lines of logs and terminals.
enum ForeignText {
  private static let substitute: Unicode.Scalar = "\u{FFFD}"

  /// Makes one line of it: what moves a terminal's cursor, ends a line or turns the order of writing is U+FFFD.
  /// - Parameter limit: in Unicode scalars, since a `Character` has any number of them.
  static func line(_ text: some StringProtocol, limit: Int = .max) -> String {
    let scalars = String(text).unicodeScalars
    var line = String.UnicodeScalarView()
    for scalar in scalars.prefix(limit) { line.append(isShown(scalar) ? scalar : substitute) }
    return String(line)
  }

  private static func isShown(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    // The last one has the marks of direction.
    case .control, .lineSeparator, .paragraphSeparator, .format: false
    default: true
    }
  }
}
