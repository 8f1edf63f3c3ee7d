import Foundation

/// The permissions that the files of this process are made without.
enum FileCreationMask {
  /// From proc_pid_status(5): umask(2) says it only by changing it, for the files that other threads make meanwhile, too. Where there is no
  /// proc, files are for their owner alone.
  static var current: mode_t {
    guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8) else { return 0o077 }
    return mask(inStatus: status) ?? 0o077
  }

  /// The value of the line "Umask:", in octal.
  static func mask(inStatus status: String) -> mode_t? {
    status.split(separator: "\n").first { $0.hasPrefix("Umask:") }
      .flatMap { mode_t($0.dropFirst("Umask:".count).trimmingCharacters(in: .whitespaces), radix: 8) }
  }
}
