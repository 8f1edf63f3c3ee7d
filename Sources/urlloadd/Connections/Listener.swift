import Foundation
import URLLoading
internal import URLLoadingCLinux

/// The socket that programs connect to.
///
/// Not for two threads at once: it is the loop's.
final class Listener {
  /// Connections at once; more are ended as they come.
  static let limit = 256

  let descriptor: Int32
  /// The socket's path, to be removed at the end; nil for one of systemd's.
  private let path: String?

  /// Takes the socket that systemd has opened (sd_listen_fds(3)).
  init?(inherited environment: [String: String]) {
    guard environment["LISTEN_PID"] == String(getpid()), environment["LISTEN_FDS"] == "1" else { return nil }
    descriptor = 3
    path = nil
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
  }

  /// Listens at the service's place. Whoever has the lock on the state removes what an earlier service has left there.
  init(at place: BackgroundServicePlace) throws {
    try place.prepareRuntimeDirectory()
    let directory = open(place.runtimeDirectory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard directory >= 0 else { throw ServiceFailure("\(place.runtimeDirectory) cannot be opened", errno) }
    defer { close(directory) }
    let name = BackgroundServicePlace.socketName
    descriptor = socket(
      AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
    guard descriptor >= 0 else { throw ServiceFailure("No socket can be made", errno) }
    unlinkat(directory, name, 0)
    path = "\(place.runtimeDirectory)/\(name)"
    let earlier = umask(0o177)
    let error = LocalSocketAddress(directory: directory, name: name).bind(descriptor)
    umask(earlier)
    guard error == 0, listen(descriptor, 128) == 0 else {
      throw ServiceFailure("\(path ?? name) cannot be listened at", error == 0 ? errno : error)
    }
  }

  deinit {
    if let path { unlink(path) }
    close(descriptor)
  }

  /// The next program that connects; nil for none. Other users get nothing.
  func accept(besides count: Int) -> Peer? {
    let accepted = accept_connection(descriptor)
    guard accepted >= 0 else { return nil }
    guard peer_of_socket(accepted) == geteuid(), count < Self.limit else {
      close(accepted)
      return accept(besides: count)
    }
    return Peer(descriptor: accepted)
  }
}
