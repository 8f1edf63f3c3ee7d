import Foundation
import URLLoading
internal import URLLoadingBase

/// Makes sure that one service has a folder.
final class StateLock {
  /// How long an earlier service may take to end, in seconds.
  private static let limit = 30.0

  private let descriptor: Int32

  /// - Parameter place: where a service that has the folder listens, once it does.
  init(in directory: String, place: BackgroundServicePlace) throws {
    try FileManager.default.createDirectory(
      atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let path = "\(directory)/lock"
    descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw ServiceFailure("\(path) cannot be opened", errno) }
    let deadline = MonotonicInstant.now.advanced(by: .seconds(Self.limit))
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      guard errno == EWOULDBLOCK || errno == EINTR, MonotonicInstant.now < deadline else {
        throw ServiceFailure("Another urlloadd has \(directory).")
      }
      // One that is about to end listens no more.
      if (try? BackgroundSocket(to: place)) != nil { throw ServiceFailure("Another urlloadd has \(directory).") }
      usleep(20_000)
    }
    // For people and scripts that look for the process.
    let text = Array("\(getpid())\n".utf8)
    ftruncate(descriptor, 0)
    _ = write(descriptor, text, text.count)
  }

  deinit { close(descriptor) }
}
