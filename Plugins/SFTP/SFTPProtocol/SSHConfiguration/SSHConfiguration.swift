/// Reads ssh_config files for one host: the first value of a keyword counts. All I/O goes through `source`.
///
/// Lines that are not understood, and blocks whose condition cannot be decided, are left out and reported. Keywords that are not
/// supported are ignored.
struct SSHConfiguration {
  /// The user's and the machine's file, in OpenSSH's order.
  static func files(home: String) -> [(path: String, folder: String)] {
    [("\(home)/.ssh/config", "\(home)/.ssh"), ("/etc/ssh/ssh_config", "/etc/ssh")]
  }

  private static let largestDepth = 16
  private static let largestFileCount = 256

  let source: ConfigurationSource
  private let originalHost: String
  private let givenUser: String?
  private let givenPort: Int?
  private(set) var values = ConfigurationValues()
  private(set) var problems: [LineProblem] = []
  private var fileCount = 0

  /// Begins to read for a host.
  /// - Parameters:
  ///   - host: as the user wrote it.
  ///   - user: if the URL has one; files cannot change it.
  ///   - port: likewise.
  init(host: String, user: String? = nil, port: Int? = nil, source: ConfigurationSource) {
    originalHost = host
    givenUser = user
    givenPort = port
    self.source = source
  }

  /// The configuration of a host in the user's and the machine's files.
  static func read(
    host: String, user: String? = nil, port: Int? = nil, source: ConfigurationSource = .machine
  ) -> HostConfiguration {
    var configuration = SSHConfiguration(host: host, user: user, port: port, source: source)
    for (path, folder) in files(home: source.home) { configuration.add(file: path, folder: folder) }
    return configuration.finish()
  }

  /// Adds a file after those that were read.
  /// - Parameter folder: relative names of included files are relative to it.
  mutating func add(file: String, folder: String) {
    var isActive = true
    read(file, folder: folder, depth: 0, mayMatch: true, isActive: &isActive)
  }

  /// The configuration, with its tokens replaced.
  mutating func finish() -> HostConfiguration {
    var resolution = ConfigurationResolution(
      values: values, originalHost: originalHost, user: givenUser, port: givenPort, source: source)
    var result = resolution.resolve()
    problems += resolution.problems
    result.problems = problems
    return result
  }

  // MARK: Files

  /// - Parameters:
  ///   - mayMatch: false where the file is included from a block that does not apply.
  ///   - isActive: whether lines apply, before and after.
  private mutating func read(_ file: String, folder: String, depth: Int, mayMatch: Bool, isActive: inout Bool) {
    fileCount += 1
    let contents: [UInt8]
    switch source.read(file) {
    case .success(let bytes): contents = bytes
    case .failure(let error):
      if !error.isMissing { report(SourceLine(file: file, line: 1), "the file cannot be read: \(error.reason)") }
      return
    }
    var number = 0
    for bytes in contents.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      number += 1
      let place = SourceLine(file: file, line: number)
      do throws(Problem) {
        guard let line = try ConfigurationLine.read(bytes) else { continue }
        switch line.keyword {
        case "host": isActive = mayMatch && begins(line, place)
        case "match": isActive = mayMatch && holds(line, place)
        case "include": include(line, place, folder: folder, depth: depth, isActive: isActive)
        default: if isActive, let problem = values.take(line, place) { report(place, problem) }
        }
      } catch {
        report(place, error.reason)
      }
    }
  }

  private mutating func begins(_ line: ConfigurationLine, _ place: SourceLine) -> Bool {
    if line.arguments.isEmpty { report(place, "Host has no pattern") }
    return PatternList(line.arguments.map { Array($0.utf8) }).matches(Array(originalHost.utf8))
  }

  private mutating func holds(_ line: ConfigurationLine, _ place: SourceLine) -> Bool {
    do throws(Problem) {
      return try MatchCondition.holds(
        line.arguments,
        [
          "originalhost": originalHost, "host": currentHost,
          "user": givenUser ?? values.first("user")?.arguments.first ?? source.localUser, "localuser": source.localUser,
        ])
    } catch {
      report(place, error.reason)
      return false
    }
  }

  /// The host's name by the lines read so far.
  private var currentHost: String {
    guard let name = values.first("hostname")?.arguments.first else { return originalHost }
    let expansion = TokenExpansion(tokens: ["h": originalHost], home: source.home, environment: [:])
    return (try? expansion.expand(name)) ?? originalHost
  }

  private mutating func include(
    _ line: ConfigurationLine, _ place: SourceLine, folder: String, depth: Int, isActive: Bool
  ) {
    if line.arguments.isEmpty { report(place, "Include has no file") }
    guard depth < Self.largestDepth else {
      return report(place, "files include each other more than \(Self.largestDepth) deep")
    }
    for argument in line.arguments {
      let pattern: String
      do throws(Problem) {
        pattern = try TokenExpansion(tokens: [:], home: source.home, environment: [:]).expandHome(argument)
      } catch {
        report(place, "Include \(argument): \(error.reason)")
        continue
      }
      for file in source.expand(pattern.hasPrefix("/") ? pattern : "\(folder)/\(pattern)") {
        guard fileCount < Self.largestFileCount else {
          return report(place, "more than \(Self.largestFileCount) files are included")
        }
        // Blocks of the included file end with it.
        var isActiveThere = isActive
        read(file, folder: folder, depth: depth + 1, mayMatch: isActive, isActive: &isActiveThere)
      }
    }
  }

  private mutating func report(_ place: SourceLine, _ reason: String) {
    problems.append(LineProblem(place: place, reason: reason))
  }
}
