/// A pattern of paths below a directory: names by ``NamePattern``, separated by slashes, and `**` for any number of directories, none
/// included, whose names do not begin with a dot.
///
/// A path is matched name by name, so that a walk leaves out directories below which nothing can match.
struct PathPattern: Sendable {
  private enum Component {
    case anyDirectories
    case name(NamePattern)
  }

  /// How much of the pattern a path has met.
  struct Position: Sendable, Hashable {
    /// For each way to match so far, the components that were met.
    fileprivate var met: Set<Int>
    /// The number of all components.
    fileprivate var count: Int

    /// Whether the path matches.
    var isMatch: Bool { met.contains(count) }

    /// Whether a path below it can.
    var leadsOn: Bool { met.contains { $0 < count } }
  }

  private let components: [Component]

  init(_ text: String) {
    components = text.split(separator: "/").map { $0 == "**" ? .anyDirectories : .name(NamePattern($0)) }
  }

  /// The directory itself, in which nothing was named yet.
  var start: Position { Position(met: passing([0]), count: components.count) }

  /// The path with one name more.
  func next(_ position: Position, _ name: String) -> Position {
    var met: Set<Int> = []
    for index in position.met where index < components.count {
      switch components[index] {
      case .anyDirectories: if !name.hasPrefix(".") { met.insert(index) }
      case .name(let pattern): if pattern.matches(name) { met.insert(index + 1) }
      }
    }
    return Position(met: passing(met), count: components.count)
  }

  /// Those that stand at `**` pass it, too.
  private func passing(_ met: Set<Int>) -> Set<Int> {
    var all = met
    for index in met.sorted() {
      var next = index
      while next < components.count, case .anyDirectories = components[next] {
        next += 1
        all.insert(next)
      }
    }
    return all
  }
}
