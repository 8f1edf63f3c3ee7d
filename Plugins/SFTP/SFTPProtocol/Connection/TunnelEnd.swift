import Glibc

/// Joins a channel to one end of a pair of sockets; the other end is the socket of the connection through the tunnel.
///
/// Mutable state: all stored properties, confined to the thread of the connection that the channel belongs to.
// Safe to share: the state is touched on the connection's thread only.
final class TunnelEnd: SSHChannelUser, @unchecked Sendable {
  /// Bytes that wait for the other end, beyond which the channel is not read.
  private static let largestQueue = 1 << 18

  private let descriptor: Int32
  private let toSocket = SendQueue()
  private let toChannel = SendQueue()
  private let onOpen: @Sendable () -> Void
  private let onClose: @Sendable ((any Error)?) -> Void

  /// - Parameter descriptor: one end of the pair, which does not block; it is closed with this object.
  init(
    descriptor: Int32, onOpen: @escaping @Sendable () -> Void, onClose: @escaping @Sendable ((any Error)?) -> Void
  ) {
    self.descriptor = descriptor
    self.onOpen = onOpen
    self.onClose = onClose
  }

  deinit {
    close(descriptor)
  }

  /// A pair of sockets that do not block; nil if the system has none.
  static func makePair() -> (near: Int32, far: Int32)? {
    var ends: [Int32] = [-1, -1]
    let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    return socketpair(AF_UNIX, type, 0, &ends) == 0 ? (ends[0], ends[1]) : nil
  }

  // MARK: The channel

  func channelDidOpen() { onOpen() }

  func channelDidReceive(_ bytes: UnsafeRawBufferPointer) {
    toSocket.append(bytes)
    writeToSocket()
  }

  var bytesToSend: UnsafeRawBufferPointer { toChannel.front }

  func channelDidSend(_ count: Int) { toChannel.removeFirst(count) }

  var wantsToReceive: Bool { toSocket.count < Self.largestQueue }

  func channelDidClose(_ error: (any Error)?) {
    writeToSocket()
    shutdown(descriptor, Int32(SHUT_RDWR))
    onClose(error)
  }

  // MARK: The socket

  var descriptorToPoll: pollfd? {
    var events: Int32 = 0
    if toChannel.count < Self.largestQueue { events |= POLLIN }
    if !toSocket.isEmpty { events |= POLLOUT }
    return events == 0 ? nil : pollfd(fd: descriptor, events: Int16(events), revents: 0)
  }

  func descriptorIsReady() -> Bool {
    writeToSocket()
    guard toChannel.count < Self.largestQueue else { return true }
    return withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 16) { buffer in
      let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
      if count > 0 { toChannel.append(UnsafeRawBufferPointer(rebasing: buffer[..<count])) }
      return count > 0 || (count < 0 && (errno == EAGAIN || errno == EINTR))
    }
  }

  private func writeToSocket() {
    // An error shows when the socket is read.
    _ = toSocket.send(to: descriptor)
  }
}
