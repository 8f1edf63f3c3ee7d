import Glibc
internal import URLLoadingBase
internal import URLLoadingCSSH2

/// The socket of a connection: the bytes that libssh2 sends and receives, and what is known of its end.
///
/// Mutable state: all of it, confined to the connection's thread.
final class SSHSocket {
  /// Bytes that one turn receives: 512 KiB, which stay in the processor's cache and do not keep other work waiting.
  private static let turnCount = 1 << 19
  /// Bytes that wait for sending, beyond which nothing more is received: a server could make us queue replies without bound.
  private static let largestQueue = 4 << 20

  let outgoing = SendQueue()
  /// The bytes received before the exchange of keys ended.
  private(set) var firstBytes: [UInt8] = []
  /// The turn's allowance is used up; there may be more to receive.
  private(set) var hasMore = false
  private(set) var lastReceived = MonotonicInstant.now
  /// The system's error when the socket failed; nil after an orderly end.
  private(set) var problem: String?
  /// The server has ended its side of the connection.
  private(set) var hasEnded = false
  /// Reported to libssh2 as closed, so that it waits for no reply.
  var isDead = false
  var keepsFirstBytes = true

  private let descriptor: Int32
  private var allowance = 0

  /// - Parameter descriptor: does not block; its owner closes it.
  init(_ descriptor: Int32) {
    self.descriptor = descriptor
  }

  /// Whether the server, or the network, has ended the connection.
  var isGone: Bool { hasEnded || problem != nil }

  func beginTurn() {
    allowance = outgoing.count > Self.largestQueue ? 0 : Self.turnCount
    hasMore = false
  }

  /// Receives nothing until the next turn.
  func endTurn() { allowance = 0 }

  /// Sends as much of the queue as the socket takes; false where the socket has failed.
  func flush() -> Bool {
    guard let code = outgoing.send(to: descriptor) else { return true }
    problem = String(cString: strerror(code))
    return false
  }

  /// - Returns: the number of bytes, 0 at the end, or a negative error number.
  func receive(_ buffer: UnsafeMutableRawPointer, _ count: Int) -> Int {
    if isDead { return -Int(ECONNRESET) }
    guard allowance > 0 else {
      hasMore = outgoing.count <= Self.largestQueue
      return -Int(EAGAIN)
    }
    var result = recv(descriptor, buffer, min(count, allowance), 0)
    while result < 0, errno == EINTR { result = recv(descriptor, buffer, min(count, allowance), 0) }
    if result < 0 {
      let code = errno
      if code != EAGAIN { problem = String(cString: strerror(code)) }
      return -Int(code)
    }
    allowance -= result
    if result > 0 { lastReceived = .now } else { hasEnded = true }
    if keepsFirstBytes, firstBytes.count < ServerOffer.largestCount {
      firstBytes.append(contentsOf: UnsafeRawBufferPointer(start: buffer, count: result))
    }
    return result
  }

  func enqueue(_ bytes: UnsafeRawBufferPointer) {
    if !isDead { outgoing.append(bytes) }
  }

  /// Acknowledges at once, not up to 40 ms later, until more comes. OpenSSH's server uses Nagle's algorithm (RFC 896) until it has started
  /// a service: after a login its reply waits for the acknowledgement of its last packet.
  func acknowledgeAtOnce() {
    var on: Int32 = 1
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_QUICKACK, &on, socklen_t(MemoryLayout<Int32>.size))
  }
}
