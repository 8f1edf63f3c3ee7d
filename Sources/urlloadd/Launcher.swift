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

  /// - Returns: why it cannot be started; nil where it was.
  static func start(_ launch: URLSessionConfiguration.BackgroundLaunch) -> String? {
    let (path, arguments): (String, [String]) =
      switch launch {
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
    guard path.hasPrefix("/") else { return "\(path) is no absolute path" }
    let error = DetachedProgram(path: path, arguments: arguments).start()
    return error == 0 ? nil : "\(path) cannot be started: \(String(cString: strerror(error)))"
  }
}
