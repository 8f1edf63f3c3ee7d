import Foundation
import URLLoading
internal import URLLoadingBase
internal import URLLoadingCLinux

/// The socket that programs connect to.
///
/// Not for two threads at once: it is the loop's.
final class Listener {
  /// Connections at once; more are ended as they come.
  static let limit = 256

  let descriptor: Int32
  let place: BackgroundServicePlace
  /// What was at the socket's path when this one was made; nil where programs look for it in another place, which systemd knows.
  private let identity: FileIdentity?
  /// The path is to be removed at the end: not that of a socket of systemd's.
  private let removesPath: Bool
  /// Until when nobody is taken: the system had nothing left for a connection.
  private var restEnd: MonotonicInstant?

  /// Takes the socket that systemd has opened (sd_listen_fds(3)).
  init?(inherited environment: [String: String], place: BackgroundServicePlace) {
    guard environment["LISTEN_PID"] == String(getpid()), environment["LISTEN_FDS"] == "1" else { return nil }
    descriptor = 3
    self.place = place
    identity = FileIdentity(path: place.socketPath)
    removesPath = false
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
    self.place = place
    removesPath = true
    unlinkat(directory, name, 0)
    // Linux makes the file with the mode of the socket, less the umask (unix_bind_bsd() in its source). The umask itself is the process's:
    // other threads make files meanwhile.
    _ = fchmod(descriptor, 0o600)
    let error = LocalSocketAddress(directory: directory, name: name).bind(descriptor)
    identity = FileIdentity(name: name, in: directory)
    guard error == 0, listen(descriptor, 128) == 0 else {
      throw ServiceFailure("\(place.socketPath) cannot be listened at", error == 0 ? errno : error)
    }
  }

  deinit {
    // What is there by now may be another's.
    if removesPath, isAtItsPlace { unlink(place.socketPath) }
    close(descriptor)
  }

  /// Whether programs find this socket. Its inode is not used again before it is closed.
  var isAtItsPlace: Bool { identity == nil || identity == FileIdentity(path: place.socketPath) }

  /// A connection that cannot be taken stays readable, and would keep the loop awake: the socket is not to be waited for meanwhile.
  var isResting: Bool { restEnd.map { .now < $0 } ?? false }

  /// How long it rests, unless a connection ends before.
  static let rest = Duration.seconds(1)

  /// A descriptor was closed.
  func wake() { restEnd = nil }

  /// The next program that connects; nil for none. Other users get nothing.
  func accept(connected count: Int) -> Peer? {
    guard !isResting else { return nil }
    let accepted = accept_connection(descriptor)
    guard accepted >= 0 else {
      if SystemShortage.isOne(errno) { restEnd = .now.advanced(by: Self.rest) }
      return nil
    }
    guard peer_of_socket(accepted) == geteuid(), count < Self.limit else {
      close(accepted)
      return accept(connected: count)
    }
    return Peer(descriptor: accepted)
  }
}
