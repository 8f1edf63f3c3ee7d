import Foundation
import URLLoadingTestServers

/// A program that becomes a service that outlives the limit on the size of its files (setrlimit(2), `SIGXFSZ`): writes fail, as on a disk
/// without room.
final class ServiceStarter: Sendable {
  private let directory: TemporaryDirectory

  /// - Parameter service: the path of the service's program.
  init(_ service: String) throws {
    directory = try TemporaryDirectory("starter")
    try directory.write("start.sh", "#!/bin/sh\ntrap '' XFSZ\nexec '\(service)' \"$@\"\n")
    chmod(path, 0o700)
  }

  /// The path of the starter; it is there as long as this object.
  var path: String { directory.file("start.sh").path }
}
