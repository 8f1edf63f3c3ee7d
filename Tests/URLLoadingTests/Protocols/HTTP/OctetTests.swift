import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoading

/// Octets of a response that are no UTF-8, and come back to the server.
@Suite(.timeLimit(.minutes(2))) struct OctetTests {
  /// Answers `/start` with a head, which has one octet for each character, and everything else with the target.
  private static func server(_ head: String) throws -> ScriptedServer {
    try ScriptedServer { connection in
      while let request = try connection.readRequest() {
        if request.path == "/start" {
          try connection.send(
            Data("\(head)Content-Length: 2\r\n\r\nok".unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }))
        } else {
          try connection.send(HTTPResponse(text: request.target), to: request)
        }
      }
    }
  }

  /// The octets of a field of the last request.
  private func octets(of name: String, in server: ScriptedServer) throws -> [UInt8] {
    let head = Array(try #require(server.requests.last).raw)
    let line = try #require(
      head.split(whereSeparator: { $0 == 13 || $0 == 10 }).first { $0.starts(with: "\(name): ".utf8) })
    return Array(line.dropFirst(name.utf8.count + 2))
  }

  @Test(arguments: [
    ("/caf\u{E9}?\u{FF}", "/caf%E9?%FF"), ("/caf\u{C3}\u{A9}", "/caf%C3%A9"),
    ("/\u{C3}\u{A9}\u{FF} x", "/%C3%A9%FF%20x"),
    ("/%41\u{E9}%zz", "/%41%E9%25zz"),
  ])
  func aLocation(location: String, target: String) async throws {
    let server = try Self.server("HTTP/1.1 302 Found\r\nLocation: \(location)\r\n")
    #expect(await RecordedSession().load(server.url("/start")).text == target)
  }

  @Test(
    arguments: [
      ("c=\u{FF}test", [0x63, 0x3D, 0xFF] + Array("test".utf8)), ("c=\u{C3}\u{A9}", Array("c=é".utf8)),
      ("\u{E9}=\u{C3}\u{A9}", [0xE9, 0x3D, 0xC3, 0xA9]),
    ] as [(String, [UInt8])])
  func aCookie(field: String, expected: [UInt8]) async throws {
    let server = try Self.server("HTTP/1.1 200 OK\r\nSet-Cookie: \(field); Path=/\r\n")
    let client = RecordedSession()
    _ = await client.load(server.url("/start"))
    for _ in 0..<2 {
      #expect(await client.load(server.url("/end")).text == "/end")
      #expect(try octets(of: "Cookie", in: server) == expected)
    }
    // Others beside it keep theirs.
    let other = try #require(
      HTTPCookie(properties: [.name: "ü", .value: "1", .domain: "127.0.0.1", .path: "/", .port: "80"]))
    client.session.configuration.httpCookieStorage?.setCookie(other)
    _ = await client.load(server.url("/end"))
    #expect(try octets(of: "Cookie", in: server) == expected + Array("; ü=1".utf8))
    // A program's own field is sent as UTF-8.
    var request = URLRequest(url: server.url("/end"))
    request.setValue("c=é", forHTTPHeaderField: "Cookie")
    _ = await client.load(request)
    #expect(try octets(of: "Cookie", in: server) == Array("c=é".utf8))
  }

  @Test func aCookieOfARedirect() async throws {
    let server = try Self.server("HTTP/1.1 302 Found\r\nLocation: /end\r\nSet-Cookie: c=\u{FF}\r\n")
    #expect(await RecordedSession().load(server.url("/start")).text == "/end")
    #expect(try octets(of: "Cookie", in: server) == [0x63, 0x3D, 0xFF])
  }

  @Test(
    arguments: [("\"\u{FF}\"", [0x22, 0xFF, 0x22]), ("\"\u{C3}\u{A9}\"", [0x22, 0xC3, 0xA9, 0x22])]
      as [(String, [UInt8])])
  func anEntityTag(tag: String, expected: [UInt8]) async throws {
    let server = try Self.server("HTTP/1.1 200 OK\r\nETag: \(tag)\r\nCache-Control: no-cache\r\n")
    let client = RecordedSession { $0.urlCache = URLCache(memoryCapacity: 1 << 20, diskCapacity: 0) }
    for _ in 0..<2 { _ = await client.load(server.url("/start")) }
    #expect(try octets(of: "If-None-Match", in: server) == expected)
    let record = await client.load(server.url("/start"))
    #expect(record.http?.validators.entityTag == tag)
  }
}
