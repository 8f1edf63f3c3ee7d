internal import URLLoadingBase
internal import URLLoadingCLinux

/// A connection to the transfer service, whose calls block.
///
/// Mutable state: `sending` keeps two threads from mixing what they send; one thread receives.
package final class BackgroundSocket: @unchecked Sendable {
  // Safe to share: the descriptor does not change, `frames` is the receiving thread's.
  private let descriptor: Int32
  private let sending = Locked(())
  private var frames = BackgroundFrames()

  /// The longest time that the service may take nothing.
  private static let sendingLimit = 10

  /// Connects to the service that listens.
  package init(to place: BackgroundServicePlace) throws(BackgroundServiceError) {
    try place.checkRuntimeDirectory()
    let directory = open(place.runtimeDirectory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard directory >= 0 else { throw .noAnswer(reason: String(cString: strerror(errno))) }
    defer { close(directory) }
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw .noAnswer(reason: String(cString: strerror(errno))) }
    var limit = timeval(tv_sec: Self.sendingLimit, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    let error = LocalSocketAddress(directory: directory, name: BackgroundServicePlace.socketName).connect(descriptor)
    guard error == 0 else {
      close(descriptor)
      throw .noAnswer(reason: String(cString: strerror(error)))
    }
    guard peer_of_socket(descriptor) == geteuid() else {
      close(descriptor)
      throw .foreign
    }
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// Ends the connection, for the thread that receives as well.
  package func end() { shutdown(descriptor, Int32(SHUT_RDWR)) }

  /// - Returns: false where the connection has ended.
  package func send(_ bytes: [UInt8]) -> Bool {
    sending.withLock { _ in
      var sent = 0
      while sent < bytes.count {
        let count = bytes.withUnsafeBytes { bytes in
          // Without SIGPIPE, which would end the program.
          Glibc.send(descriptor, bytes.baseAddress?.advanced(by: sent), bytes.count - sent, Int32(MSG_NOSIGNAL))
        }
        if count > 0 {
          sent += count
        } else if errno != EINTR {
          // What was sent in part cannot be continued.
          end()
          return false
        }
      }
      return true
    }
  }

  /// Waits for the next message.
  /// - Returns: nil when the connection has ended.
  package func receive() -> BackgroundReport? {
    while true {
      do {
        if let report = try frames.next(BackgroundReport.self) { return report }
      } catch {
        return nil
      }
      var buffer = [UInt8](repeating: 0, count: 64 << 10)
      let count = recv(descriptor, &buffer, buffer.count, 0)
      if count > 0 {
        frames.append(buffer[..<count])
      } else if count == 0 || errno != EINTR {
        return nil
      }
    }
  }
}
