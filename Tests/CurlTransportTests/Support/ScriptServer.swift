import Foundation

/// A server that does what a closure says, once for each connection, on a thread of its own.
///
/// All its sockets have timeouts, so that no script can hang. It listens until `stop()`, or as long as the tests run:
/// a test often holds nothing but its URL.
final class ScriptServer: Sendable {
  let port: Int
  let host: String
  private let listener: Int32
  private let accepted = SharedValue(0)

  /// - Parameter script: Gets the connection and its number, from 0. The connection is closed when it returns.
  init(ipv6: Bool = false, script: @escaping @Sendable (ScriptConnection, Int) -> Void) throws {
    host = ipv6 ? "[::1]" : "127.0.0.1"
    (listener, port) = try ipv6 ? Self.listen6() : Self.listen4()
    let listener = listener
    let accepted = accepted
    Thread.detachNewThread {
      while true {
        let descriptor = accept(listener, nil, nil)
        guard descriptor >= 0 else {
          if errno == EINTR || errno == ECONNABORTED || errno == EMFILE { continue }
          // Closed here and nowhere else: by another thread the number could be in use again.
          close(listener)
          return
        }
        let number = accepted.withLock { count in
          defer { count += 1 }
          return count
        }
        Thread.detachNewThread {
          let connection = ScriptConnection(descriptor)
          script(connection, number)
          connection.close()
        }
      }
    }
  }

  /// Ends listening; what runs goes on.
  func stop() {
    shutdown(listener, Int32(SHUT_RDWR))
  }

  var connectionCount: Int { accepted.withLock { $0 } }

  func url(_ path: String = "/") -> String { "http://\(host):\(port)\(path)" }

  private struct SocketError: Error {}

  private static func listen4() throws -> (Int32, Int) {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, size) == 0 && listen(descriptor, 1024) == 0 && getsockname(descriptor, $0, &size) == 0
      }
    }
    guard isListening else { throw SocketError() }
    return (descriptor, Int(UInt16(bigEndian: address.sin_port)))
  }

  private static func listen6() throws -> (Int32, Int) {
    let descriptor = socket(AF_INET6, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in6()
    address.sin6_family = sa_family_t(AF_INET6)
    address.sin6_addr = in6addr_loopback
    var size = socklen_t(MemoryLayout<sockaddr_in6>.size)
    let isListening = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, size) == 0 && listen(descriptor, 1024) == 0 && getsockname(descriptor, $0, &size) == 0
      }
    }
    guard isListening else { throw SocketError() }
    return (descriptor, Int(UInt16(bigEndian: address.sin6_port)))
  }
}

/// One connection of a `ScriptServer`, used by the thread of its script only.
final class ScriptConnection {
  private var descriptor: Int32
  private var buffer: [UInt8] = []

  init(_ descriptor: Int32) {
    self.descriptor = descriptor
    var limit = timeval(tv_sec: 60, tv_usec: 0)
    let size = socklen_t(MemoryLayout<timeval>.size)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, size)
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, size)
    var on: Int32 = 1
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
  }

  /// Bytes that have arrived and were not read yet.
  var bufferedCount: Int { buffer.count }

  /// The next request's head, up to and with the empty line; nil when the peer closed.
  func readHead() -> String? {
    let end = Array("\r\n\r\n".utf8)
    var searched = 0
    while true {
      if buffer.count >= 4 {
        for index in max(0, searched)...(buffer.count - 4) where buffer[index..<(index + 4)].elementsEqual(end) {
          let head = String(decoding: buffer[..<(index + 4)], as: UTF8.self)
          buffer.removeFirst(index + 4)
          return head
        }
        searched = buffer.count - 3
      }
      guard fill() else { return nil }
    }
  }

  /// The next line, without its end; nil when the peer closed.
  func readLine() -> String? {
    while true {
      if let end = buffer.firstIndex(of: 10) {
        let line = String(decoding: buffer[..<end], as: UTF8.self)
        buffer.removeFirst(end + 1)
        return line.hasSuffix("\r") ? String(line.dropLast()) : line
      }
      guard fill() else { return nil }
    }
  }

  /// So many bytes, or fewer when the peer closed.
  func read(_ count: Int) -> [UInt8] {
    while buffer.count < count, fill() {}
    let bytes = Array(buffer.prefix(count))
    buffer.removeFirst(bytes.count)
    return bytes
  }

  /// A body with chunked coding, and whether its end came.
  func readChunked() -> (bytes: [UInt8], isComplete: Bool) {
    var body: [UInt8] = []
    while true {
      var line: [UInt8] = []
      while !line.suffix(2).elementsEqual([13, 10]) {
        let byte = read(1)
        if byte.isEmpty { return (body, false) }
        line += byte
      }
      let count = Int(String(decoding: line.dropLast(2), as: UTF8.self), radix: 16) ?? -1
      if count < 0 { return (body, false) }
      body += read(count)
      if read(2) != [13, 10] { return (body, false) }
      if count == 0 { return (body, true) }
    }
  }

  /// False when the peer does not take it.
  @discardableResult
  func send(_ text: String) -> Bool { send(Array(text.utf8)) }

  @discardableResult
  func send(_ bytes: [UInt8]) -> Bool {
    var offset = 0
    while offset < bytes.count {
      let count = bytes[offset...].withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count <= 0 { return false }
      offset += count
    }
    return true
  }

  /// Reads until the peer closes.
  func waitForClose() {
    buffer.removeAll()
    while fill() { buffer.removeAll() }
  }

  /// Sends a few bytes and closes this direction, in the same segment.
  func endSending(with bytes: [UInt8]) {
    _ = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL) | Int32(MSG_MORE))
    shutdown(descriptor, Int32(SHUT_WR))
  }

  func close() {
    guard descriptor >= 0 else { return }
    Glibc.close(descriptor)
    descriptor = -1
  }

  /// Closes with a reset.
  func reset() {
    var option = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    close()
  }

  private func fill() -> Bool {
    guard descriptor >= 0 else { return false }
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = recv(descriptor, &bytes, bytes.count, 0)
    guard count > 0 else { return false }
    buffer += bytes[..<count]
    return true
  }
}

extension ScriptServer {
  /// A server that answers every request on every connection with the same bytes.
  static func answering(_ response: String) throws -> ScriptServer {
    try ScriptServer { connection, _ in
      while connection.readHead() != nil { connection.send(response) }
    }
  }

  /// A server that answers one request a connection, and then closes it.
  static func answeringOnce(_ response: [UInt8]) throws -> ScriptServer {
    try ScriptServer { connection, _ in
      guard connection.readHead() != nil else { return }
      connection.send(response)
    }
  }
}
