import Foundation

extension ConfigurationSource {
  /// This machine and the user that the process runs as.
  static var machine: ConfigurationSource {
    ConfigurationSource(
      home: NSHomeDirectory(), localUser: NSUserName(), localUserID: getuid(),
      environment: ProcessInfo.processInfo.environment,
      read: { path in
        Result { () throws(LocalFile.Unreadable) in
          try LocalFile.read(path, largestCount: 4 << 20, isPrivate: true)
        }
      },
      expand: glob)
  }

  /// Patterns by glob(3).
  private static func glob(_ pattern: String) -> [String] {
    var found = glob_t()
    defer { globfree(&found) }
    guard Glibc.glob(pattern, 0, nil, &found) == 0 else { return [] }
    return (0..<Int(found.gl_pathc)).compactMap { found.gl_pathv?[$0].map { String(cString: $0) } }
  }
}
