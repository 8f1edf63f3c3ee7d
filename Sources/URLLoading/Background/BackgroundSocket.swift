internal import URLLoadingBase
internal import URLLoadingCLinux

/// A connection to the transfer service. Its calls block, but for ``post(_:)``.
///
/// Mutable state: `output`, guarded by its lock, which also keeps two threads from mixing what they send; one thread receives.
package final class BackgroundSocket: @unchecked Sendable {
  // Safe to share: the descriptor does not change, `frames` is the receiving thread's.
  private let descriptor: Int32
  private let patience: Int
  private let isEnding = Locked(false)
  private let output = Locked(ByteQueue())
  /// Wakes the thread that receives, which sends what the socket did not take at once; -1 where there is none to be had.
  private let wake = OpenDescriptor(eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK)))
  private var frames = BackgroundFrames()

  /// The longest time that the service may take nothing.
  private static let sendingLimit = 10

  /// Connects to the service that listens.
  /// - Parameter patience: seconds that one which says nothing is waited for; 0 for ever.
  package init(to place: BackgroundServicePlace, patience: Int = 0) throws(BackgroundServiceError) {
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
    self.patience = patience
  }

  deinit { close(descriptor) }

  /// Ends the connection, for the thread that receives as well.
  package func end() { shutdown(descriptor, Int32(SHUT_RDWR)) }

  /// Ends the connection when the service has what was posted, or in ten seconds; the thread that receives does so.
  func endWhenSent() {
    isEnding.withLock { $0 = true }
    if waitingBytes == 0 { end() } else { eventfd_write(wake.number, 1) }
  }

  /// Bytes that were posted, and that the socket has not taken.
  var waitingBytes: Int { output.withLock { $0.count } }

  /// Sends bytes as soon as the socket takes them, after those before, and returns at once.
  func post(_ bytes: [UInt8]) {
    let isLeft = output.withLock { output in
      let wasEmpty = output.isEmpty
      bytes.withUnsafeBytes { bytes in
        let sent = wasEmpty ? sendNow(bytes) : 0
        output.append(UnsafeRawBufferPointer(rebasing: bytes[sent...]))
      }
      return wasEmpty && !output.isEmpty
    }
    if isLeft { eventfd_write(wake.number, 1) }
  }

  /// - Returns: how many bytes are done with: all where the connection has ended, which the thread that receives finds out.
  private func sendNow(_ bytes: UnsafeRawBufferPointer) -> Int {
    var sent = 0
    while sent < bytes.count {
      let count = Glibc.send(
        descriptor, bytes.baseAddress?.advanced(by: sent), bytes.count - sent,
        Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
      if count > 0 {
        sent += count
      } else if errno == EAGAIN || errno == EWOULDBLOCK {
        return sent
      } else if errno != EINTR {
        end()
        return bytes.count
      }
    }
    return sent
  }

  /// - Returns: whether something was sent that had waited.
  private func flush() -> Bool {
    output.withLock { output in
      guard !output.isEmpty else { return false }
      let sent = output.withBytes { sendNow($0) }
      output.removeFirst(sent)
      return sent > 0
    }
  }

  /// - Returns: false where the connection has ended.
  package func send(_ bytes: [UInt8]) -> Bool {
    output.withLock { _ in
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

  /// Waits for the next message, and sends meanwhile what was posted.
  /// - Parameter whenSent: called, on this thread, when some of that was sent.
  /// - Returns: nil when the connection has ended, or says nothing for too long.
  package func receive(whenSent: () -> Void = {}) -> BackgroundReport? {
    var buffer: [UInt8] = []
    while true {
      do {
        if let report = try frames.next(BackgroundReport.self) { return report }
      } catch {
        return nil
      }
      if flush() { whenSent() }
      let isEnding = isEnding.withLock { $0 }
      if isEnding, waitingBytes == 0 { end() }
      if buffer.isEmpty { buffer = [UInt8](repeating: 0, count: 64 << 10) }
      let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
      if count > 0 {
        frames.append(buffer[..<count])
      } else if count == 0 || errno != EINTR && errno != EAGAIN && errno != EWOULDBLOCK {
        return nil
      } else if errno != EINTR, !wait(for: isEnding ? 10 : patience) {
        return nil
      }
    }
  }

  /// Waits until there is something to receive, to send, or to do otherwise.
  /// - Parameter seconds: 0 for ever.
  /// - Returns: false where the time is over.
  private func wait(for seconds: Int) -> Bool {
    let events = POLLIN | (waitingBytes > 0 ? POLLOUT : 0)
    var watches = [
      pollfd(fd: descriptor, events: Int16(events), revents: 0),
      pollfd(fd: wake.number, events: Int16(POLLIN), revents: 0),
    ]
    // Without a descriptor to be woken by, it looks by itself.
    let isBlind = wake.number < 0 && seconds == 0
    let count = poll(&watches, 2, isBlind ? 100 : seconds == 0 ? -1 : Int32(seconds) * 1000)
    if watches[1].revents != 0 {
      var value: eventfd_t = 0
      eventfd_read(wake.number, &value)
    }
    return count != 0 || isBlind
  }
}
