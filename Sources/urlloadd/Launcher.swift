import Foundation
import URLLoading

/// Starts programs whose tasks are done, or need them.
struct Launcher {
  /// Starts that have no effect, before there are no more.
  static let attempts = 6

  /// The sessions whose programs are to be started, and when.
  private var due: [String: Date] = [:]

  var nextDate: Date? { due.values.min() }
  var hasWork: Bool { !due.isEmpty }

  mutating func schedule(_ session: String, at date: Date) { due[session] = due[session].map { min($0, date) } ?? date }

  mutating func cancel(_ session: String) { due[session] = nil }

  mutating func takeDue(now: Date) -> String? {
    guard let session = due.first(where: { $0.value <= now })?.key else { return nil }
    due[session] = nil
    return session
  }

  /// Seconds until another start, after so many without effect.
  static func delay(after launches: Int) -> Double { 60 * Double(1 << min(max(0, launches - 1), 10)) }

  /// - Parameters:
  ///   - environment: what the program had of its environment when it made its session last; nil for the service's. systemd gives its units
  ///     one of its own.
  ///   - descriptorLimit: the limit of descriptors that programs have; nil for the service's.
  /// - Returns: why it cannot be started; nil where it was.
  static func start(
    _ launch: URLSessionConfiguration.BackgroundLaunch, environment: LoadEnvironment? = nil,
    descriptorLimit: UInt64? = nil
  ) -> String? {
    if case .executable(let path, _) = launch {
      guard path.hasPrefix("/") else { return "\(path) is no absolute path" }
      guard access(path, X_OK) == 0 else { return "\(path) cannot be started: \(String(cString: strerror(errno)))" }
    }
    let (path, arguments) = command(for: launch, isUnit: isUnit)
    let error = DetachedProgram(
      path: path, arguments: arguments, environment: environment.map { variables(of: $0) },
      descriptorLimit: descriptorLimit
    ).start()
    return error == 0 ? nil : "\(path) cannot be started: \(String(cString: strerror(error)))"
  }

  /// The service's variables, with those of a program in the place of its own.
  static func variables(
    of program: LoadEnvironment, in service: [String: String] = ProcessInfo.processInfo.environment
  ) -> [String: String] {
    var variables = service
    for name in LoadEnvironment.names { variables[name] = program.variables[name] }
    return variables
  }

  private static let unitStarter = "/usr/bin/systemd-run"

  /// Whether systemd has started this very process as a unit (systemd.exec(5), `SYSTEMD_EXEC_PID`), and starts others.
  private static var isUnit: Bool {
    ProcessInfo.processInfo.environment["SYSTEMD_EXEC_PID"] == String(getpid()) && access(unitStarter, X_OK) == 0
  }

  /// What is executed to start a program.
  ///
  /// - Parameter isUnit: the service is a unit of systemd. What it started itself would be in its sandbox for ever: nobody gets rid of
  ///   `NoNewPrivileges`, of system call filters and of namespaces. So the user's manager starts the program, as a unit of its own.
  static func command(
    for launch: URLSessionConfiguration.BackgroundLaunch, isUnit: Bool
  ) -> (path: String, arguments: [String]) {
    switch launch {
    case .executable(let path, let arguments) where isUnit:
      (
        unitStarter,
        ["--user", "--quiet", "--collect", "--no-block", "--working-directory=/", "--", path]
          // Variables in arguments of units are replaced (systemd.service(5), "Command lines").
          + arguments.map { $0.replacingOccurrences(of: "$", with: "$$") }
      )
    case .executable(let path, let arguments): (path, arguments)
    case .systemdUnit(let unit): ("/usr/bin/systemctl", ["--user", "--no-block", "start", "--", unit])
    case .dbusName(let name):
      (
        "/usr/bin/busctl",
        [
          "--user", "call", "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus",
          "StartServiceByName",
          "su", name, "0",
        ]
      )
    }
  }
}
