import Foundation

/// Where what lasts is kept: the directories that the XDG Base Directory Specification gives each user, and in them one for each program.
///
/// The directories are made by whoever stores something.
package struct ProgramDirectories: Sendable {
  /// What is kept.
  package enum Kind: Sendable {
    /// What can be loaded again: `XDG_CACHE_HOME`, else `~/.cache`.
    case cache
    /// What the user has set: `XDG_CONFIG_HOME`, else `~/.config`.
    case configuration
    /// What the user would miss: `XDG_DATA_HOME`, else `~/.local/share`.
    case data
    /// What outlives the program and is of no use elsewhere: `XDG_STATE_HOME`, else `~/.local/state`.
    case state
  }

  private let environment: [String: String]
  /// The name that the program goes by.
  package let program: String

  /// The directories of this process's program.
  package static let current = ProgramDirectories(
    environment: ProcessInfo.processInfo.environment,
    program: name(identifier: Bundle.main.bundleIdentifier, executable: executablePath))

  package init(environment: [String: String], program: String) {
    self.environment = environment
    self.program = program
  }

  /// The program's own directory; nil where there is neither a variable nor a home.
  package func own(_ kind: Kind) -> String? { shared(kind, by: program) }

  /// The directory of all programs that name themselves or their group so.
  package func shared(_ kind: Kind, by identifier: String) -> String? {
    root(kind).map { "\($0)/url-loading/\(Self.fileName(of: identifier))" }
  }

  /// A program is what its bundle says, else its executable: two builds in two places are two programs.
  package static func name(identifier: String?, executable: String) -> String {
    if let identifier, !identifier.isEmpty { return identifier }
    // FNV-1a: the same in every process, and short.
    let hash = executable.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    return "\((executable as NSString).lastPathComponent)-\(String(hash, radix: 16))"
  }

  private func root(_ kind: Kind) -> String? {
    let (variable, fallback) =
      switch kind {
      case .cache: ("XDG_CACHE_HOME", ".cache")
      case .configuration: ("XDG_CONFIG_HOME", ".config")
      case .data: ("XDG_DATA_HOME", ".local/share")
      case .state: ("XDG_STATE_HOME", ".local/state")
      }
    // The specification has relative paths ignored.
    if let path = environment[variable], path.hasPrefix("/") { return path }
    guard let home = environment["HOME"], home.hasPrefix("/"), home != "/" else { return nil }
    return "\(home)/\(fallback)"
  }

  private static var executablePath: String {
    (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments.first ?? ""
  }

  /// An identifier as the name of a file: what could lead elsewhere is percent-encoded.
  private static func fileName(of identifier: String) -> String {
    var allowed = CharacterSet.alphanumerics
    allowed.insert(charactersIn: "-_.")
    let name = identifier.addingPercentEncoding(withAllowedCharacters: allowed) ?? "program"
    return name.hasPrefix(".") || name.isEmpty ? "%2E" + name.dropFirst() : String(name.prefix(200))
  }
}
