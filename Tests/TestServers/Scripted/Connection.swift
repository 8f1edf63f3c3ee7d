import Foundation
import Glibc

/// One accepted connection of a `ScriptedServer`, with blocking calls, used on its script's thread alone.
///
/// No call blocks for longer than 30 seconds unless told to; it throws then.
package final class Connection {
  /// Which connection of the server this is, from 1.
  package let number: Int
  /// The address and the port of the peer; nil for a peer at a Unix socket.
  package let peer: (address: String, port: UInt16)?
  /// The requests read on this connection so far.
  package private(set) var requests: [HTTPRequest] = []
  private let socket: SharedSocket
  private let record: @Sendable (HTTPRequest) -> Void
  private var buffer = Data()

  init(number: Int, socket: SharedSocket, record: @escaping @Sendable (HTTPRequest) -> Void) {
    self.number = number
    self.socket = socket
    self.record = record
    peer = Self.peer(of: socket.descriptor)
    setTimeout(SO_SNDTIMEO, .seconds(30))
    setTimeout(SO_RCVTIMEO, .seconds(30))
    var on: Int32 = 1
    setsockopt(socket.descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
  }

  private static func peer(of descriptor: Int32) -> (address: String, port: UInt16)? {
    var address = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    var (host, port) = ([CChar](repeating: 0, count: 64), [CChar](repeating: 0, count: 16))
    let error = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address -> Int32 in
        guard getpeername(descriptor, address, &size) == 0, address.pointee.sa_family != sa_family_t(AF_UNIX) else {
          return -1
        }
        return getnameinfo(address, size, &host, 64, &port, 16, NI_NUMERICHOST | NI_NUMERICSERV)
      }
    }
    func text(_ characters: [CChar]) -> String {
      String(decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
    guard error == 0, let number = UInt16(text(port)) else { return nil }
    return (text(host), number)
  }

  // MARK: Reading

  /// Reads until an empty line and parses the head. Nil if the peer closed before it sent anything.
  package func readRequestHead() throws -> HTTPRequest? {
    let end = Data("\r\n\r\n".utf8)
    while true {
      if let range = buffer.range(of: end) {
        let head = take(range.upperBound - buffer.startIndex)
        guard let request = HTTPRequest(head: head) else {
          throw TestServerError("not a request: \(String(decoding: head, as: UTF8.self))")
        }
        requests.append(request)
        record(request)
        return request
      }
      guard try fill() else {
        if buffer.isEmpty { return nil }
        throw TestServerError("closed inside a request's head after \(buffer.count) bytes")
      }
    }
  }

  /// Reads a whole request with its body. Nil if the peer closed before it sent anything.
  ///
  /// - Parameter sendsContinue: whether `Expect: 100-continue` is answered before the body is read.
  package func readRequest(sendsContinue: Bool = true) throws -> HTTPRequest? {
    guard var request = try readRequestHead() else { return nil }
    if sendsContinue, request.fields["Expect"]?.lowercased() == "100-continue" {
      try send("HTTP/1.1 100 Continue\r\n\r\n")
    }
    request.body = try readBody(of: request)
    return request
  }

  /// Reads the body that a request's fields announce.
  package func readBody(of request: HTTPRequest) throws -> Data {
    if request.isChunked { return try readChunkedBody() }
    return try readBody(count: request.fields["Content-Length"].flatMap { Int($0) } ?? 0)
  }

  /// Reads exactly `count` bytes.
  package func readBody(count: Int) throws -> Data {
    while buffer.count < count {
      guard try fill() else { throw TestServerError("closed after \(buffer.count) of \(count) bytes") }
    }
    return take(count)
  }

  /// Reads a chunked body and its trailers, which it drops.
  package func readChunkedBody() throws -> Data {
    var body = Data()
    while true {
      let line = try readLine()
      guard let count = Int(line.prefix { $0 != ";" }, radix: 16), count >= 0 else {
        throw TestServerError("not a chunk size: \(line)")
      }
      if count == 0 { break }
      body.append(try readBody(count: count))
      _ = try readLine()
    }
    while try !readLine().isEmpty {}
    return body
  }

  /// Reads a line that ends with CRLF or LF, without its end.
  package func readLine() throws -> String {
    while true {
      if let newline = buffer.firstIndex(of: 0x0A) {
        var line = take(newline + 1 - buffer.startIndex).dropLast()
        if line.last == 0x0D { line = line.dropLast() }
        return String(decoding: line, as: UTF8.self)
      }
      guard try fill() else { throw TestServerError("closed inside a line") }
    }
  }

  /// Reads what is there, at least a byte and at most `count`; empty when the peer closed.
  package func readSome(_ count: Int = 65_536) throws -> Data {
    if buffer.isEmpty { _ = try fill() }
    return take(min(count, buffer.count))
  }

  // MARK: Writing

  /// Sends text as UTF-8.
  package func send(_ text: String) throws {
    try send(Data(text.utf8))
  }

  /// Sends bytes. Throws when the peer is gone.
  package func send(_ bytes: Data) throws {
    try bytes.withUnsafeBytes { buffer in
      var sent = 0
      while sent < buffer.count {
        guard socket.isOpen else { throw TestServerError("send on a closed connection") }
        let result = Glibc.send(
          socket.descriptor, buffer.baseAddress.map { $0 + sent }, buffer.count - sent, Int32(MSG_NOSIGNAL))
        if result < 0 {
          if errno == EINTR { continue }
          throw TestServerError.system("send after \(sent) bytes")
        }
        sent += result
      }
    }
  }

  /// Sends a response.
  package func send(_ response: HTTPResponse, to request: HTTPRequest? = nil) throws {
    try send(response.encoded(for: request?.method ?? "GET"))
  }

  /// Sends one chunk of a chunked body; an empty one ends the body without trailers.
  package func sendChunk(_ bytes: Data) throws {
    try send(Data("\(String(bytes.count, radix: 16))\r\n".utf8) + bytes + Data("\r\n".utf8))
  }

  // MARK: Ending

  /// Closes the connection. Bytes that came and were not read make the system reset it.
  package func close() {
    socket.close()
  }

  /// Closes the connection with RST, and drops what was not delivered yet.
  package func reset() {
    socket.close(reset: true)
  }

  /// Says that nothing more will be sent; reading goes on.
  package func closeWriting() {
    socket.shutdown(Int(SHUT_WR))
  }

  /// Reads and drops bytes until the peer closes or resets; false if it has not within the timeout.
  package func waitForPeerClose(timeout: Duration = .seconds(10)) -> Bool {
    let clock = ContinuousClock()
    let deadline = clock.now + timeout
    defer { setTimeout(SO_RCVTIMEO, .seconds(30)) }
    var bytes = [UInt8](repeating: 0, count: 65_536)
    while clock.now < deadline, socket.isOpen {
      setTimeout(SO_RCVTIMEO, max(deadline - clock.now, .milliseconds(1)))
      let count = recv(socket.descriptor, &bytes, bytes.count, 0)
      if count == 0 || (count < 0 && errno != EINTR && errno != EAGAIN) { return true }
    }
    return false
  }

  // MARK: Passing on

  /// Passes bytes on to a server on the loopback address, and back, until one of the two closes.
  package func relay(to port: UInt16) throws {
    let upstream = SharedSocket(Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0))
    let isThere = LoopbackAddress(port: port).withPointer { connect(upstream.descriptor, $0, $1) } == 0
    guard isThere else { throw TestServerError.system("connect to port \(port)") }
    try Self.write(take(buffer.count), to: upstream.descriptor)
    let ends = [(socket.descriptor, upstream.descriptor), (upstream.descriptor, socket.descriptor)]
    var bytes = [UInt8](repeating: 0, count: 65_536)
    while true {
      var waiting = ends.map { pollfd(fd: $0.0, events: Int16(POLLIN), revents: 0) }
      guard poll(&waiting, nfds_t(waiting.count), 30_000) > 0 else {
        throw TestServerError("nothing to relay for 30 s")
      }
      for (end, state) in zip(ends, waiting) where state.revents != 0 {
        let count = recv(end.0, &bytes, bytes.count, 0)
        guard count > 0 else { return }
        try Self.write(Data(bytes[0..<count]), to: end.1)
      }
    }
  }

  private static func write(_ bytes: Data, to descriptor: Int32) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      guard count > 0 else { throw TestServerError.system("relay") }
      rest = rest.dropFirst(count)
    }
  }

  private func take(_ count: Int) -> Data {
    let taken = Data(buffer.prefix(count))
    buffer = Data(buffer.dropFirst(count))
    return taken
  }

  /// Adds received bytes to the buffer; false when the peer closed.
  private func fill() throws -> Bool {
    guard socket.isOpen else { throw TestServerError("read on a closed connection") }
    var bytes = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = recv(socket.descriptor, &bytes, bytes.count, 0)
      if count < 0 {
        if errno == EINTR { continue }
        throw TestServerError.system("recv")
      }
      buffer.append(contentsOf: bytes[0..<count])
      return count > 0
    }
  }

  private func setTimeout(_ option: Int32, _ timeout: Duration) {
    let parts = timeout.components
    var value = timeval(tv_sec: Int(parts.seconds), tv_usec: Int(parts.attoseconds / 1_000_000_000_000))
    setsockopt(socket.descriptor, SOL_SOCKET, option, &value, socklen_t(MemoryLayout<timeval>.size))
  }
}
