import Foundation
import URLLoading

/// Where configuration comes from: the machine, or a test's own files.
struct ConfigurationSource: Sendable {
  var home: String
  /// The user's name on this machine.
  var localUser: String
  var localUserID: UInt32 = 0
  var environment: [String: String] = [:]
  var read: @Sendable (String) -> Result<[UInt8], Problem>
  /// The paths that match a pattern of the shell, sorted.
  var expand: @Sendable (String) -> [String] = { [$0] }

  /// This machine and the user that the process runs as.
  static var machine: ConfigurationSource {
    ConfigurationSource(
      home: NSHomeDirectory(), localUser: NSUserName(), localUserID: getuid(),
      environment: ProcessInfo.processInfo.environment,
      read: { path in
        Result { () throws(Problem) in
          // As OpenSSH does.
          try LocalFile.read(path, largestCount: 4 << 20) { status in
            let isOwn = [0, getuid()].contains(status.st_uid) && status.st_mode & 0o022 == 0
            return isOwn ? nil : "others may write to it"
          }
        }
      },
      expand: glob)
  }

  /// The same for the loads of a session: in the transfer service, by the environment of their program. Other variables, which a
  /// configuration file may name, are this process's.
  static func machine(for configuration: URLSessionConfiguration) -> ConfigurationSource {
    var source = machine
    guard let given = configuration.loadEnvironment else { return source }
    source.home = given.home
    for name in LoadEnvironment.names { source.environment[name] = given.variables[name] }
    return source
  }

  private static func glob(_ pattern: String) -> [String] {
    var found = glob_t()
    defer { globfree(&found) }
    guard Glibc.glob(pattern, 0, nil, &found) == 0 else { return [] }
    return (0..<Int(found.gl_pathc)).compactMap { found.gl_pathv?[$0].map { String(cString: $0) } }
  }
}
