import Foundation

/// The run of the machine's kernel.
enum MachineBoot {
  /// Another one after each start of the machine.
  static let identifier =
    (try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8))?
    .trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
}
