import Foundation
import Glibc

/// A folder for programs whose background loads have a transfer service of their own, which ends with this object.
package final class ServiceFolder: Sendable {
  package let folder: TemporaryDirectory

  package init() throws { folder = try TemporaryDirectory("jobs") }

  deinit {
    // A service that runs has its number in its lock.
    let lock = try? String(contentsOf: folder.file("state/url-loading/urlloadd/lock"), encoding: .utf8)
    let service = lock.flatMap { pid_t($0.trimmingCharacters(in: .whitespacesAndNewlines)) }
    if let service, service > 0 { kill(service, SIGTERM) }
  }

  package var environment: [String: String?] {
    [
      "HOME": folder.path, "XDG_RUNTIME_DIR": folder.path, "XDG_STATE_HOME": folder.file("state").path,
      "XDG_CONFIG_HOME": folder.path, "XDG_DATA_HOME": folder.file("data").path, "TMPDIR": folder.path,
      "URLLOADD": BuiltProgram.path("urlloadd"),
    ]
  }
}
