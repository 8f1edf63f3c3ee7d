import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoadingCurlTransport

/// Heads whose fields are collected, and parsed in one pass, are those that come from their lines one at a time.
@Suite(.timeLimit(.minutes(2))) struct CollectedHeadTests {
  /// All that a head has.
  private struct Seen: Equatable {
    var description: [String]

    init(_ event: consuming ResponseHeadParser.Event) {
      switch event {
      case .none: description = ["none"]
      case .failure(let reason): description = ["failure \(reason)"]
      case .head(let head):
        description =
          [
            "\(head.statusCode)", "\(String(describing: head.contentLength))", "\(head.hasSetCookie)",
            "\(head.hasContentEncoding)", "\(head.forbidsStoring)",
            "\(String(describing: head.strictTransportSecurity))",
          ] + head.fields.map { "\($0.name): \($0.value)" }
      }
    }
  }

  private static let lines = [
    "Server: nginx", "Content-Length: 5", "content-length:5", "Content-Length : 5", "Content-Length: 6",
    "Content-Length: x",
    "Transfer-Encoding: chunked", "Set-Cookie: a=b; Path=/", "Cache-Control: no-store",
    "Cache-Control: no-store, must-understand",
    "Content-Encoding: gzip", "Strict-Transport-Security: max-age=1", "X:", "X: ", "X:a:b",
    "X-Long: \(String(repeating: "a", count: 300))",
    "Ümlaut: ä", "Date: Sun, 29 Nov 2026 19:00:00 GMT", "ETag: \"a\"", "X : y",
  ]

  @Test func onePassSeesWhatLinesSay() {
    var generator = Xorshift(state: 7)
    for round in 0..<2000 {
      let count = Int.random(in: 1...12, using: &generator)
      let fields = (0..<count).map { _ in
        (Self.lines.randomElement(using: &generator) ?? "") + (Bool.random(using: &generator) ? "\r\n" : "\n")
      }
      var single = ResponseHeadParser()
      var whole = ResponseHeadParser()
      for line in ["HTTP/1.1 200 OK\r\n"] + fields { _ = Self.take(line, &single) }
      _ = Self.take("HTTP/1.1 200 OK\r\n", &whole)
      let isInFields = whole.isInFields
      #expect(isInFields)
      let split = Int.random(in: 0..<count, using: &generator)
      let begin = split > 0 ? Self.take(fields[..<split], end: "", &whole) : Seen(.none)
      #expect(begin == Seen(.none))
      let expected = Seen(Self.take("\r\n", &single))
      let end = Self.take(fields[split...], end: "\r\n", &whole)
      #expect(end == expected, "\(round): \(fields)")
    }
  }

  @Test func limitsHold() {
    for (fields, bytes, isTaken) in [(1000, 1, true), (1001, 1, false), (10, 25_000, true), (11, 25_000, false)] {
      var parser = ResponseHeadParser()
      _ = Self.take("HTTP/1.1 200 OK\r\n", &parser)
      let line = "A: \(String(repeating: "a", count: bytes))\r\n"
      let result = Self.take(Array(repeating: line, count: fields)[...], end: "\r\n", &parser)
      #expect((result == Seen(.failure(.headTooLarge))) == !isTaken, "\(fields), \(bytes)")
    }
  }

  private static func take(_ line: String, _ parser: inout ResponseHeadParser) -> ResponseHeadParser.Event {
    Array(line.utf8).withUnsafeBytes { parser.take($0) }
  }

  private static func take(_ fields: ArraySlice<String>, end: String, _ parser: inout ResponseHeadParser) -> Seen {
    Seen(Array((fields.joined() + end).utf8).withUnsafeBytes { parser.take(fields: fields.count, in: $0) })
  }

  private struct Xorshift: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return state
    }
  }

  /// What is not a plain field comes alone, between those that are collected; so does what is longer than all that is collected.
  private static let mixed: [(String, (String, String)?)] = [
    ("A: 1\r\n", ("A", "1")), ("B:2\n", ("B", "2")), ("C: 3\r\n", ("C", "3")), (" 4\r\n", nil), ("D:\r\n", ("D", "")),
    ("E: \(String(repeating: "e", count: 900))\r\n", ("E", String(repeating: "e", count: 900))),
    ("F: \(String(repeating: "f", count: 3000))\r\n", ("F", String(repeating: "f", count: 3000))),
    ("G: 7\r\n", ("G", "7")), ("H: 8:9\r\n", ("H", "8:9")), ("Content-Length: 2\r\n", ("Content-Length", "2")),
  ]

  @Test(arguments: [Int.max, 1, 7, 1000])
  func headsOnTheWire(piece: Int) async throws {
    let fields = Self.mixed.map(\.0).joined()
    let answer =
      "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\n\(fields)\r\nok"
    let server = try ScriptedServer { connection in
      guard try connection.readRequest() != nil else { return }
      var rest = Data(answer.utf8)
      while !rest.isEmpty {
        try connection.send(Data(rest.prefix(piece)))
        rest = rest.dropFirst(piece == .max ? rest.count : piece)
      }
      guard try connection.readRequest() != nil else { return }
      try connection.send(
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: T\r\n\r\n2\r\nok\r\n0\r\nT: 1\r\nU: 2\r\n\r\n")
      _ = try connection.readRequest()
    }
    let engine = makeEngine(connectionsPerHost: 1)
    let url = "http://127.0.0.1:\(server.port)/"
    let first = try await engine.get(url)
    #expect(first.failure == nil && first.informational == [103])
    let expected = Self.mixed.compactMap(\.1).map { $0.0 == "C" ? "C: 3 4" : "\($0.0): \($0.1)" }
    #expect(first.head?.fields.map { "\($0.name): \($0.value)" } == expected)
    #expect(first.body == Array("ok".utf8))
    let second = try await engine.get(url)
    #expect(second.head?.fields.map(\.name) == ["Transfer-Encoding", "Trailer"])
    #expect(second.trailers.map { "\($0.name): \($0.value)" } == ["T: 1", "U: 2"])
    #expect(second.body == Array("ok".utf8))
  }

  /// The connection ends in the middle of a head, and libcurl sends the request again: nothing of the first head is in the second.
  @Test func aHeadThatBreaksOffIsForgotten() async throws {
    let server = try ScriptedServer { connection in
      guard try connection.readRequest() != nil else { return }
      try connection.send("HTTP/1.1 200 OK\r\nA: 1\r\nB: 2\r\n")
    }
    let state = try await makeEngine().get("http://127.0.0.1:\(server.port)/")
    #expect(state.failure != nil && state.head == nil)
    let other = try ScriptedServer { connection in
      guard try connection.readRequest() != nil else { return }
      try connection.send("HTTP/1.1 200 OK\r\nC: 3\r\nContent-Length: 0\r\n\r\n")
      _ = try connection.readRequest()
    }
    let engine = makeEngine()
    #expect(try await engine.get("http://127.0.0.1:\(server.port)/").failure != nil)
    let whole = try await engine.get("http://127.0.0.1:\(other.port)/")
    #expect(whole.head?.fields.map(\.name) == ["C", "Content-Length"])
  }
}
