/// The values of ssh_config files as they are written, by keyword.
struct ConfigurationValues {
  struct Value: Hashable, Sendable {
    let arguments: [String]
    let place: SourceLine
  }

  /// How many arguments a keyword takes.
  private enum Shape {
    case one
    case many
    /// One argument; every line adds one.
    case list
    /// The rest of the line.
    case command
  }

  private static let shapes: [String: Shape] = [
    "hostname": .one, "port": .one, "user": .one, "identityfile": .list, "identitiesonly": .one, "identityagent": .one,
    "userknownhostsfile": .many, "globalknownhostsfile": .many, "hostkeyalias": .one, "stricthostkeychecking": .one,
    "connecttimeout": .one, "serveraliveinterval": .one, "serveralivecountmax": .one, "proxyjump": .one,
    "proxycommand": .command,
  ]

  private var values: [String: [Value]] = [:]

  /// The value that counts.
  func first(_ keyword: String) -> Value? { values[keyword]?.first }

  /// All values of a `list` keyword.
  func all(_ keyword: String) -> [Value] { values[keyword] ?? [] }

  /// Keeps a line's value unless there is one already.
  /// - Returns: what is wrong with the line.
  mutating func take(_ line: ConfigurationLine, _ place: SourceLine) -> String? {
    guard let shape = Self.shapes[line.keyword] else { return nil }
    guard let argument = line.arguments.first, !argument.isEmpty else { return "\(line.keyword) has no value" }
    let value = Value(
      arguments: shape == .command ? [line.arguments.joined(separator: " ")] : line.arguments, place: place)
    if line.arguments.count > 1, shape == .one || shape == .list {
      return "\(line.keyword) takes one value; those with spaces need quotation marks"
    }
    // The first of both counts.
    let rival = ["proxyjump": "proxycommand", "proxycommand": "proxyjump"][line.keyword]
    if let rival, values[rival] != nil { return nil }
    if let problem = ConfigurationSyntax.problem(line.keyword, argument) { return "\(line.keyword): \(problem)" }
    if shape == .list || values[line.keyword] == nil { values[line.keyword, default: []].append(value) }
    return nil
  }
}
