import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// Heads that have no end, or are not heads.
@Suite(.timeLimit(.minutes(4))) struct HostileHeadTests {
  private static let ok = "HTTP/1.1 200 OK\r\n"

  static let malformed: [Hostility] = [
    Hostility("HTTP/0.9", .failure(.cannotParseResponse), sends: "hello, world\n"),
    Hostility("HTTP/0.9 without a line end", .failure(.cannotParseResponse), sends: "<html>"),
    Hostility("another protocol", .failure(.cannotParseResponse), sends: "SSH-2.0-OpenSSH_9.2\r\n"),
    Hostility("a status that is no number", .failure(.cannotParseResponse), sends: "HTTP/1.1 abc OK\r\n\r\n"),
    Hostility("an unknown version", .failure(.cannotParseResponse), sends: "HTTP/9.9 200 OK\r\n\r\n"),
    Hostility("no reason phrase", .success(200, "a"), sends: "HTTP/1.1 200\r\nContent-Length: 1\r\n\r\na"),
    Hostility("an unknown status", .success(799, "a"), sends: "HTTP/1.1 799 x\r\nContent-Length: 1\r\n\r\na"),
    Hostility("line feeds only", .success(200, "a"), sends: "HTTP/1.1 200 OK\nContent-Length: 1\n\na"),
    Hostility(
      "a line without a colon", .failure(.cannotParseResponse), sends: ok + "nonsense\r\nContent-Length: 1\r\n\r\na"),
    Hostility("a field without a name", .success(200, "a"), sends: ok + ": x\r\nContent-Length: 1\r\n\r\na"),
    Hostility("a folded field", .success(200, "a"), sends: ok + "X-A: 1\r\n 2\r\nContent-Length: 1\r\n\r\na"),
    Hostility(
      "invalid UTF-8 in a field", .success(200, "a"),
      sends: Data("HTTP/1.1 200 ".utf8) + Data([0xC3, 0x28]) + Data("\r\nX-A: ".utf8) + Data([0xFF, 0xFE, 0x80])
        + Data("\r\nContent-Length: 1\r\n\r\na".utf8)),
    Hostility("a first field behind a space", .success(200, "a"), sends: ok + " X: y\r\nContent-Length: 1\r\n\r\na"),
    Hostility(
      "a name with a carriage return", .failure(.cannotParseResponse),
      sends: ok + "X\rY: z\r\nContent-Length: 1\r\n\r\na"),
    Hostility(
      "a carriage return before a name", .failure(.cannotParseResponse),
      sends: ok + "A: b\r\n\rX: z\r\nContent-Length: 1\r\n\r\na"),
    Hostility(
      "a split version", .failure(.cannotParseResponse), sends: "HTTP/1. 1 200 OK\r\nContent-Length: 1\r\n\r\na"),
    Hostility("no version", .failure(.cannotParseResponse), sends: "HTTP/x 200 OK\r\nContent-Length: 1\r\n\r\na"),
    Hostility(
      "a status behind a carriage return", .failure(.cannotParseResponse),
      sends: "HTTP/1.1 \r200 OK\r\nContent-Length: 1\r\n\r\na"),
    Hostility(
      "101 that nobody asked for", .failure(.networkConnectionLost),
      sends: "HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n"),
  ]

  @Test(arguments: malformed, LoadKind.allCases)
  func aMalformedHeadDoesNoHarm(_ hostility: Hostility, _ kind: LoadKind) async throws {
    try await hostility.check(as: kind)
  }

  /// What libcurl does not take, or takes by another version, has an error that says what was wrong.
  @Test(arguments: [
    (ok + "X\rY: z\r\n\r\n", ["field", "carriage return", "header"]), (ok + "\rX: z\r\n\r\n", ["carriage return"]),
    ("HTTP/1. 1 200 OK\r\n\r\n", ["response"]),
  ])
  func theErrorSaysWhatWasWrong(_ head: String, _ words: [String]) async throws {
    let server = try ScriptedServer { connection in
      _ = try connection.readRequestHead()
      try connection.send(head)
    }
    let record = await RecordedSession().load(server.url())
    let message = record.error?.localizedDescription ?? ""
    #expect(record.code == .cannotParseResponse)
    #expect(words.contains { message.lowercased().contains($0) }, "\(message)")
    #expect(!message.contains("argument") && !message.contains("protocol class"), "\(message)")
  }

  /// Of a value with a carriage return the rest is no field of its own: libcurl refuses it in newer versions.
  @Test func aCarriageReturnInAValueIsNoLineEnd() async throws {
    let server = try ScriptedServer { connection in
      _ = try connection.readRequestHead()
      try connection.send("HTTP/1.1 200 OK\r\nA: b\rInjected: yes\r\nContent-Length: 1\r\n\r\na")
    }
    let record = await RecordedSession().load(server.url())
    if record.code == .cannotParseResponse { return }
    #expect(record.error == nil && record.text == "a")
    #expect(record.http?.value(forHTTPHeaderField: "A") == "b Injected: yes")
    #expect(record.http?.value(forHTTPHeaderField: "Injected") == nil)
  }

  @Test func aStatusBehindATabIsRead() async throws {
    let server = try ScriptedServer { connection in
      _ = try connection.readRequestHead()
      try connection.send("HTTP/1.1 \t200 OK\r\nContent-Length: 1\r\n\r\na")
    }
    let record = await RecordedSession().load(server.url())
    #expect(record.code == .cannotParseResponse || record.status == 200 && record.text == "a", "\(record)")
  }

  /// A redirect and what it leads to share a handle of libcurl: see FirstFieldTests.
  @Test(arguments: LoadKind.allCases) func aFirstFieldBehindASpaceAfterARedirect(_ kind: LoadKind) async throws {
    let server = try ScriptedServer { connection in
      while let request = try connection.readRequestHead() {
        let filler = String(repeating: "a", count: 200)
        try connection.send(
          request.path == "/end"
            ? "HTTP/1.1 200 OK\r\n X: y\r\nContent-Length: 5\r\n\r\nTest."
            : "HTTP/1.1 302 Found\r\nLocation: /end\r\nX-A: \(filler)\r\nContent-Length: 0\r\n\r\n")
      }
    }
    let client = RecordedSession()
    for _ in 0..<5 {
      let record = await client.load(URLRequest(url: server.url("/start")), as: kind)
      #expect(record.error == nil && record.text == "Test.", "\(record)")
      #expect(record.http?.value(forHTTPHeaderField: "X") == nil)
    }
  }

  static let endless: [(name: String, head: String, piece: String)] = [
    ("fields", ok, "X-Filler: " + String(repeating: "a", count: 8000) + "\r\n"),
    ("short fields", ok, String(repeating: "a: b\r\n", count: 1000)),
    ("one field", ok + "X-Filler: ", String(repeating: "a", count: 8000)),
    ("a folded field", ok + "X-A: ", String(repeating: "a", count: 1000) + "\r\n "),
    ("a status line", "HTTP/1.1 200 ", String(repeating: "a", count: 8000)),
    (
      "trailers", ok + "Transfer-Encoding: chunked\r\n\r\n0\r\n", "X-A: " + String(repeating: "a", count: 4000) + "\r\n"
    ),
    ("informational responses", "", "HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\n"),
  ]

  @Test(arguments: endless.indices, LoadKind.allCases)
  func aGigabyteOfHeadersStopsEarly(_ index: Int, _ kind: LoadKind) async throws {
    let (name, head, piece) = Self.endless[index]
    let sent = Watched(0)
    let hostility = Hostility.endless(
      "endless \(name)", .failure(.dataLengthExceedsMaximum), head: head, piece: piece, sent: sent)
    try await hostility.check(as: kind)
    // What was sent fills the sockets' buffers at both ends; it is not in this process's memory.
    #expect(sent.value < 32 << 20, "\(name): \(sent.value) bytes were sent")
  }

  static let tooLong: [(name: String, head: String)] = [
    ("one field", ok + "X-A: " + String(repeating: "a", count: 5 << 20) + "\r\n\r\n"),
    ("a status line", "HTTP/1.1 200 " + String(repeating: "a", count: 5 << 20) + "\r\n\r\n"),
    (
      "many fields",
      ok + String(repeating: "X-A: " + String(repeating: "a", count: 5000) + "\r\n", count: 1000) + "\r\n"
    ),
    (
      "a trailer",
      ok + "Transfer-Encoding: chunked\r\n\r\n0\r\nX-A: " + String(repeating: "a", count: 5 << 20) + "\r\n\r\n"
    ),
  ]

  @Test(arguments: tooLong.indices) func aHeaderThatIsTooLargeIsSaidToBe(_ index: Int) async throws {
    let (name, head) = Self.tooLong[index]
    let server = try ScriptedServer { connection in
      _ = try connection.readRequestHead()
      try connection.send(head)
    }
    let record = await RecordedSession().load(server.url("/large"))
    #expect(record.code == .dataLengthExceedsMaximum, "\(name)")
    let message = record.error?.localizedDescription ?? ""
    #expect(message.contains("the response's header"), "\(name): \(message)")
    #expect(message.contains("bytes") && !message.contains("memory"), "\(name): \(message)")
    #expect((record.error as? URLError)?.failingURL == server.url("/large"), "\(name)")
  }

  @Test func aGigabyteInsteadOfAHeadStopsEarly() async throws {
    let sent = Watched(0)
    let piece = String(repeating: "a", count: 8000)
    let hostility = Hostility.endless("no head", .failure(.cannotParseResponse), head: "", piece: piece, sent: sent)
    let server = try hostility.server()
    let client = RecordedSession()
    let record = await client.load(server.url("/hostile"))
    // How much comes at once decides whether it is no HTTP or too long a line of it.
    #expect(record.code == .cannotParseResponse || record.code == .dataLengthExceedsMaximum)
    #expect(sent.value < 32 << 20)
    #expect(await client.load(server.url("/good")).text == "good")
  }

  @Test func bytesThatAreNotUTF8AreReadAsLatin1() async throws {
    let bytes = Data("HTTP/1.1 200 OK\r\nX-A: caf".utf8) + Data([0xE9]) + Data("\r\nContent-Length: 0\r\n\r\n".utf8)
    let server = try ScriptedServer { connection in
      _ = try connection.readRequestHead()
      try connection.send(bytes)
    }
    let record = await RecordedSession().load(server.url())
    #expect(record.http?.value(forHTTPHeaderField: "x-a") == "café")
  }
}
