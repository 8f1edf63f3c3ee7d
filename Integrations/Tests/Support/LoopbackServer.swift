import Foundation
import Glibc
import Synchronization

/// A server of HTTP/1.1 on the loopback address, with a thread for each connection.
///
/// Mutable state: in `log`, which guards it.
package final class LoopbackServer: Sendable {
  /// A request that came.
  package struct Request: Sendable {
    package var method = ""
    package var target = ""
    /// By their names in lower case.
    package var fields: [String: String] = [:]
    package var body = Data()
  }

  /// What it says to one.
  package enum Answer: Sendable {
    /// A response; the connection stays.
    case response(Int, [String: String] = [:], String = "")
    /// The head of one with more bytes than follow; the connection is closed.
    case brokenBody
    /// Nothing; the connection is closed.
    case hangUp
    /// Nothing, until the client closes.
    case silence
  }

  private final class Log: Sendable {
    let requests = Mutex<[Request]>([])
  }

  private let listener: Int32
  private let port: UInt16
  private let log = Log()

  /// Starts a server on a free port.
  package init(_ answer: @escaping @Sendable (Request) -> Answer) throws {
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let descriptor = listener
    let isListening = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, length) == 0 && listen(descriptor, 1024) == 0 && getsockname(descriptor, $0, &length) == 0
      }
    }
    port = UInt16(bigEndian: address.sin_port)
    guard isListening else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    Thread.detachNewThread { [log] in
      while true {
        let connection = accept(descriptor, nil, nil)
        guard connection >= 0 else { break }
        Thread.detachNewThread {
          Self.serve(connection, { request in log.requests.withLock { $0.append(request) } }, answer)
          close(connection)
        }
      }
      close(descriptor)
    }
  }

  deinit {
    // Wakes its accept.
    shutdown(listener, Int32(SHUT_RDWR))
  }

  /// A URL of the server. The path begins with a slash.
  package func url(_ path: String = "/", user: String = "") -> URL {
    URL(string: "http://\(user)127.0.0.1:\(port)\(path)") ?? URL(fileURLWithPath: path)
  }

  /// Its port, as clients see it.
  package var number: Int { Int(port) }

  /// What came so far.
  package var requests: [Request] { log.requests.withLock { $0 } }

  /// A port at which nobody listens.
  package static func closedPort() throws -> Int {
    let server = try LoopbackServer { _ in .hangUp }
    return server.number
  }

  private static func serve(
    _ connection: Int32, _ note: (Request) -> Void, _ answer: (Request) -> Answer
  ) {
    var buffer = Data()
    while let request = read(connection, &buffer) {
      note(request)
      switch answer(request) {
      case .response(let status, let fields, let body):
        let lines = fields.map { "\($0.key): \($0.value)\r\n" }.joined()
        let text = "HTTP/1.1 \(status) -\r\nContent-Length: \(body.utf8.count)\r\n\(lines)\r\n"
        guard write(connection, text + (request.method == "HEAD" ? "" : body)) else { return }
      case .brokenBody:
        _ = write(connection, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
        return
      case .hangUp: return
      case .silence:
        var byte: UInt8 = 0
        while recv(connection, &byte, 1, 0) > 0 {}
        return
      }
    }
  }

  /// The next request; nil where the client has closed.
  private static func read(_ connection: Int32, _ buffer: inout Data) -> Request? {
    let separator = Data("\r\n\r\n".utf8)
    while buffer.range(of: separator) == nil { guard receive(connection, &buffer) else { return nil } }
    guard let end = buffer.range(of: separator) else { return nil }
    let lines = String(decoding: buffer[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
    buffer = Data(buffer[end.upperBound...])
    var request = Request()
    let words = lines[0].split(separator: " ")
    guard words.count == 3 else { return nil }
    (request.method, request.target) = (String(words[0]), String(words[1]))
    for line in lines.dropFirst() {
      guard let colon = line.firstIndex(of: ":") else { continue }
      let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
      request.fields[line[..<colon].lowercased()] = value
    }
    if request.fields["expect"] != nil { _ = write(connection, "HTTP/1.1 100 Continue\r\n\r\n") }
    let length = request.fields["content-length"].flatMap { Int($0) } ?? 0
    while buffer.count < length { guard receive(connection, &buffer) else { return nil } }
    request.body = Data(buffer.prefix(length))
    buffer = Data(buffer.dropFirst(length))
    return request
  }

  private static func receive(_ connection: Int32, _ buffer: inout Data) -> Bool {
    var bytes = [UInt8](repeating: 0, count: 16_384)
    let count = recv(connection, &bytes, bytes.count, 0)
    guard count > 0 else { return false }
    buffer.append(contentsOf: bytes[..<count])
    return true
  }

  private static func write(_ connection: Int32, _ text: String) -> Bool {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }
}

extension LoopbackServer {
  /// Answers `/fresh` with what may be kept, and other targets with what has to be validated.
  package static func ofCacheableResponses() throws -> LoopbackServer {
    try LoopbackServer { request in
      switch (request.target, request.fields["if-none-match"]) {
      case ("/fresh", _): .response(200, ["Cache-Control": "max-age=1000"], "body")
      case (_, nil): .response(200, ["Cache-Control": "no-cache", "ETag": "\"1\""], "body")
      default: .response(304, ["ETag": "\"1\""])
      }
    }
  }
}
