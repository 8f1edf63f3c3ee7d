import Foundation
import Testing
import URLLoading
import URLLoadingTestServers
import WebDAVProtocol

/// Servers that break off, lie, send garbage, or have no end.
@Suite(.timeLimit(.minutes(4))) struct HostileServerTests {
  private let session = TestSession.make()

  private func url(_ server: ScriptedServer, _ path: String = "/d/") -> URL { server.url(path, scheme: "dav") }

  private func listingError(_ answer: HTTPResponse) async throws -> URLError? {
    let server = try ScriptedDAV.server(["PROPFIND": answer])
    let error = await TestSession.error { _ = try await session.list(url(server)) }
    await server.stop()
    return error
  }

  // MARK: Listings

  private static let noListings: [(text: String, code: URLError.Code)] = [
    ("", .cannotParseResponse), ("garbage", .cannotParseResponse),
    ("<html><body>Hello<br></html>", .cannotParseResponse),
    (ScriptedDAV.head, .cannotParseResponse), (ScriptedDAV.head + ScriptedDAV.directory("/d/"), .cannotParseResponse),
    (ScriptedDAV.listing() + "<", .cannotParseResponse), (ScriptedDAV.head + ScriptedDAV.end, .cannotParseResponse),
    (ScriptedDAV.head + ScriptedDAV.directory("/e/") + ScriptedDAV.end, .cannotParseResponse),
    (
      #"<!DOCTYPE m [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><multistatus xmlns="DAV:">&b;</multistatus>"#,
      .cannotParseResponse
    ),
    (
      #"<!DOCTYPE m [<!ENTITY x SYSTEM "file:///etc/passwd">]><multistatus xmlns="DAV:"><response><href>/d/&x;</href></response></multistatus>"#,
      .cannotParseResponse
    ),
    (ScriptedDAV.head + String(repeating: "<x>", count: 100_000), .dataLengthExceedsMaximum),
    (ScriptedDAV.head + "<x a='" + String(repeating: "x", count: 1 << 20), .dataLengthExceedsMaximum),
    (ScriptedDAV.head + "<D:response><D:href>" + String(repeating: "x", count: 1 << 20), .dataLengthExceedsMaximum),
    (ScriptedDAV.head + ScriptedDAV.response("/d") + ScriptedDAV.end, .resourceUnavailable),
  ]

  @Test(arguments: noListings) func whatIsNoListingIsAnError(_ example: (text: String, code: URLError.Code))
    async throws
  {
    let error = try await listingError(ScriptedDAV.answer(example.text))
    #expect(error?.code == example.code, "\(error?.localizedDescription ?? "")")
    #expect(error?.failingURL?.scheme == "dav")
  }

  private static let statuses: [(status: Int, code: URLError.Code)] = [
    (200, .unsupportedURL), (204, .unsupportedURL), (301, .badServerResponse), (400, .badServerResponse),
    (401, .userAuthenticationRequired), (403, .noPermissionsToReadFile), (404, .fileDoesNotExist),
    (405, .unsupportedURL),
    (410, .fileDoesNotExist), (423, .noPermissionsToReadFile), (500, .badServerResponse), (501, .unsupportedURL),
    (503, .badServerResponse),
  ]

  @Test(arguments: statuses) func statusesHaveCodes(_ example: (status: Int, code: URLError.Code)) async throws {
    let answer = ScriptedDAV.answer(example.status == 204 ? "" : ScriptedDAV.listing(), status: example.status)
    #expect(try await listingError(answer)?.code == example.code)
  }

  /// The body decides, whatever its type is called.
  @Test func aWrongTypeOfADocumentIsNoObstacle() async throws {
    let answer = ScriptedDAV.answer(ScriptedDAV.listing(ScriptedDAV.response("/d/x")), type: "text/html")
    let server = try ScriptedDAV.server(["PROPFIND": answer])
    #expect(try await session.list(url(server)).map(\.name) == ["x"])
    let latin = HTTPResponse(
      207, fields: ["Content-Type": "text/xml; charset=ISO-8859-1"],
      body: ScriptedDAV.listing(ScriptedDAV.response("/d/ü")).data(using: .isoLatin1) ?? Data())
    let other = try ScriptedDAV.server(["PROPFIND": latin])
    #expect(try await session.list(url(other)).map(\.name) == ["ü"])
    for server in [server, other] { await server.stop() }
  }

  @Test func namesThatLeadElsewhereAreLeftOut() async throws {
    let references = [
      "/d/../etc", "/d/%2e%2e", "/d/a%2f..%2fb", "/e/x", "/d/x/y", "http://elsewhere/d/z", "//d/d/w", "/d/%00",
    ]
    let answer = ScriptedDAV.answer(ScriptedDAV.listing(references.map { ScriptedDAV.response($0) }.joined()))
    let server = try ScriptedDAV.server(["PROPFIND": answer])
    let entries = try await session.list(url(server))
    #expect(entries.map(\.url) == ["z", "w"].map { url(server, "/d/\($0)") })
    await server.stop()
  }

  /// What came is listed, and the listing fails all the same.
  @Test(arguments: [true, false]) func aListingThatBreaksOffFails(_ isChunked: Bool) async throws {
    let part = Data((ScriptedDAV.head + ScriptedDAV.directory("/d/") + ScriptedDAV.response("/d/x")).utf8)
    let server = try ScriptedServer { connection in
      _ = try connection.readRequest()
      let length = isChunked ? "Transfer-Encoding: chunked" : "Content-Length: \(part.count + 100)"
      try connection.send("HTTP/1.1 207 Multi-Status\r\nContent-Type: application/xml\r\n\(length)\r\n\r\n")
      if isChunked { try connection.sendChunk(part) } else { try connection.send(part) }
    }
    var names: [String] = []
    var error: URLError?
    do {
      for try await entry in session.entries(at: url(server)) { names.append(entry.name) }
    } catch let failure {
      error = failure as? URLError
    }
    #expect(error?.code == .networkConnectionLost && error?.failingURL == url(server))
    #expect(names == ["x"])
    await server.stop()
  }

  /// A server that says nothing more is given up when the reader is, and by the timeout.
  @Test func aListingThatStallsIsCancelled() async throws {
    let server = try ScriptedServer { connection in
      _ = try connection.readRequest()
      try connection.send("HTTP/1.1 207 Multi-Status\r\nTransfer-Encoding: chunked\r\n\r\n")
      try connection.sendChunk(
        Data((ScriptedDAV.head + ScriptedDAV.directory("/d/") + ScriptedDAV.response("/d/x")).utf8))
      _ = connection.waitForPeerClose(timeout: .seconds(60))
    }
    let entries = session.entries(at: url(server))
    let first = Watched(false)
    let task = Task {
      for try await _ in entries { first.update { $0 = true } }
    }
    #expect(await first.wait { $0 })
    task.cancel()
    await #expect(throws: (any Error).self) { try await task.value }
    #expect(await server.waitForIdle())
    var request = URLRequest(url: url(server))
    request.timeoutInterval = 0.3
    let error = await TestSession.error { for try await _ in session.entries(at: request) {} }
    #expect(error?.code == .timedOut)
    #expect(await server.waitForIdle())
    await server.stop()
  }

  /// Sends so many entries, in an answer without an end where there are none.
  private func manyEntries(_ count: Int?, sent: Watched<Int>) throws -> ScriptedServer {
    try ScriptedServer { connection in
      _ = try connection.readRequest()
      try connection.send("HTTP/1.1 207 Multi-Status\r\nTransfer-Encoding: chunked\r\n\r\n")
      try connection.sendChunk(Data((ScriptedDAV.head + ScriptedDAV.directory("/d/")).utf8))
      let properties = """
        <D:resourcetype/><D:getcontentlength>5</D:getcontentlength>\
        <D:getlastmodified>Sun, 06 Nov 1994 08:49:37 GMT</D:getlastmodified>
        """
      var number = 0
      while number < count ?? .max {
        var text = ""
        for _ in 0..<100 {
          number += 1
          text += ScriptedDAV.response("/d/file-\(number)", properties)
        }
        try connection.sendChunk(Data(text.utf8))
        sent.update { $0 = number }
      }
      try connection.sendChunk(Data(ScriptedDAV.end.utf8))
      try connection.sendChunk(Data())
    }
  }

  /// The tests of urlload have the memory that it takes.
  @Test func aHundredThousandEntriesAreListed() async throws {
    let server = try manyEntries(100_000, sent: Watched(0))
    var (count, last) = (0, "")
    for try await entry in session.entries(at: url(server)) {
      count += 1
      last = entry.name
    }
    #expect(count == 100_000 && last == "file-100000")
    await server.stop()
  }

  /// A reader who takes his time has the server wait; one who is gone ends it.
  @Test func aListingWithoutAnEndIsReadAsItIsWanted() async throws {
    let sent = Watched(0)
    let server = try manyEntries(nil, sent: sent)
    var iterator: URLDirectoryEntries.AsyncIterator? = session.entries(at: url(server)).makeAsyncIterator()
    #expect(try await iterator?.next()?.name == "file-1")
    // It stands still, with what buffers hold.
    let count = await sent.settled()
    #expect(count < 200_000)
    for _ in 0..<1000 { _ = try await iterator?.next() }
    iterator = nil
    #expect(await server.waitForIdle())
    let bounded = TestSession.make { $0.webDAV.maximumEntries = 5000 }
    let error = await TestSession.error { for try await _ in bounded.entries(at: url(server)) {} }
    #expect(error?.code == .dataLengthExceedsMaximum)
    #expect(error?.localizedDescription.contains("webDAV.maximumEntries") == true)
    bounded.invalidateAndCancel()
    await server.stop()
  }

  // MARK: Redirects

  @Test func redirectsAreFollowedWhereNothingElseIsMeant() async throws {
    let server = try ScriptedServer.http { request in
      switch (request.method, request.path) {
      case ("PROPFIND", "/d"): HTTPResponse.redirect(301, to: "/d/")
      case ("PROPFIND", "/d/"): ScriptedDAV.answer(ScriptedDAV.listing(ScriptedDAV.response("/d/x")))
      case ("PROPFIND", "/away/"): HTTPResponse.redirect(302, to: "http://localhost:1/d/")
      case ("PROPFIND", "/file"), ("PROPFIND", "/other"):
        ScriptedDAV.answer(ScriptedDAV.head + ScriptedDAV.response(request.path) + ScriptedDAV.end)
      case ("GET", "/moved"): HTTPResponse.redirect(302, to: "/file")
      case ("GET", "/dir"): HTTPResponse.redirect(301, to: "/dir/")
      case ("DELETE", "/file"): HTTPResponse.redirect(303, to: "/file")
      case ("PUT", "/file"): HTTPResponse.redirect(302, to: "http://localhost:1/file")
      case ("DELETE", "/other"): HTTPResponse.redirect(307, to: "/file2")
      case ("DELETE", "/file2"): HTTPResponse(204)
      default: HTTPResponse(200, text: "Hello")
      }
    }
    #expect(try await session.list(url(server, "/d")).map(\.url) == [url(server, "/d/x")])
    #expect(await TestSession.error { _ = try await session.list(url(server, "/away/")) }?.code == .badServerResponse)
    #expect(try await session.data(from: url(server, "/moved")).0 == Data("Hello".utf8))
    #expect(await TestSession.error { _ = try await session.data(from: url(server, "/dir")) }?.code == .fileIsDirectory)
    // A GET of what was to be removed says nothing of that.
    #expect(
      await TestSession.error { try await session.removeItem(at: url(server, "/file")) }?.code == .badServerResponse)
    #expect(
      await TestSession.error { try await session.store(Data("x".utf8), at: url(server, "/file")) }?.code
        == .badServerResponse)
    try await session.removeItem(at: url(server, "/other"))
    await server.stop()
  }

  // MARK: Changes

  private static let changes: [(status: Int, code: URLError.Code?)] = [
    (200, nil), (201, nil), (202, .resourceUnavailable), (204, nil), (303, .badServerResponse),
    (400, .badServerResponse),
    (401, .userAuthenticationRequired), (403, .cannotRemoveFile), (404, .fileDoesNotExist), (405, .unsupportedURL),
    (409, .cannotRemoveFile), (412, .resourceUnavailable), (423, .cannotRemoveFile), (500, .badServerResponse),
    (507, .cannotRemoveFile),
  ]

  @Test(arguments: changes) func statusesOfChangesHaveCodes(_ example: (status: Int, code: URLError.Code?)) async throws
  {
    let server = try ScriptedDAV.server([
      "PROPFIND": ScriptedDAV.answer(ScriptedDAV.listing()), "DELETE": HTTPResponse(example.status),
    ])
    #expect(await TestSession.error { try await session.removeItem(at: url(server)) }?.code == example.code)
    #expect(server.log.requests.map(\.method) == ["PROPFIND", "DELETE"])
    await server.stop()
  }

  /// What was done in part is an error with the first thing that was not.
  @Test func aPartialChangeNamesWhatFailed() async throws {
    let text =
      ScriptedDAV.head
      + "<D:response><D:href>/d/</D:href><D:status>HTTP/1.1 424 Failed Dependency</D:status></D:response>"
      + "<D:response><D:href>/d/a%20b</D:href><D:status>HTTP/1.1 423 Locked</D:status></D:response>" + ScriptedDAV.end
    let server = try ScriptedDAV.server([
      "PROPFIND": ScriptedDAV.answer(ScriptedDAV.listing()), "DELETE": ScriptedDAV.answer(text),
    ])
    let error = await TestSession.error { try await session.removeItem(at: url(server)) }
    #expect(error?.code == .cannotRemoveFile && error?.failingURL == url(server))
    let part = error?.userInfo[NSUnderlyingErrorKey] as? URLError
    #expect(part?.code == .cannotRemoveFile && part?.failingURL == url(server, "/d/a%20b"))
    #expect(error?.localizedDescription.contains("423") == true)
    let broken = try ScriptedDAV.server([
      "PROPFIND": ScriptedDAV.answer(ScriptedDAV.listing()), "DELETE": ScriptedDAV.answer(ScriptedDAV.head),
    ])
    #expect(await TestSession.error { try await session.removeItem(at: url(broken)) }?.code == .cannotRemoveFile)
    let done = try ScriptedDAV.server([
      "PROPFIND": ScriptedDAV.answer(ScriptedDAV.listing()),
      "DELETE": ScriptedDAV.answer(ScriptedDAV.head + ScriptedDAV.end),
    ])
    try await session.removeItem(at: url(done))
    for server in [server, broken, done] { await server.stop() }
  }

  /// A directory whose answer breaks off is not taken for an empty one.
  @Test(arguments: [
    ScriptedDAV.head + ScriptedDAV.directory("/d/"), ScriptedDAV.listing(ScriptedDAV.response("/d/x")),
    ScriptedDAV.head + ScriptedDAV.response("/d/x") + ScriptedDAV.directory("/d/") + ScriptedDAV.end,
    ScriptedDAV.head + ScriptedDAV.response("/other") + ScriptedDAV.end,
    ScriptedDAV.head + ScriptedDAV.response("/d", "") + ScriptedDAV.end, "garbage",
  ]) func nothingIsRemovedThatMayNotBeEmpty(_ text: String) async throws {
    let server = try ScriptedDAV.server(["PROPFIND": ScriptedDAV.answer(text), "DELETE": HTTPResponse(204)])
    #expect(await TestSession.error { try await session.removeItem(at: url(server)) } != nil)
    #expect(server.log.requests.map(\.method) == ["PROPFIND"])
    await server.stop()
  }

  /// Nor is one whose answer has no end; and what comes behind a status that says all is not waited for.
  @Test func anAnswerWithoutAnEndIsGivenUp() async throws {
    let server = try ScriptedServer { connection in
      _ = try connection.readRequest()
      try connection.send("HTTP/1.1 207 Multi-Status\r\nTransfer-Encoding: chunked\r\n\r\n")
      try connection.sendChunk(Data(ScriptedDAV.head.utf8))
      let piece = Data(String(repeating: ScriptedDAV.directory("/d/"), count: 1000).utf8)
      while true { try connection.sendChunk(piece) }
    }
    let error = await TestSession.error { try await session.removeItem(at: url(server)) }
    #expect(error?.code == .dataLengthExceedsMaximum)
    #expect(server.log.requests.map(\.method) == ["PROPFIND"])
    #expect(await server.waitForIdle())
    let silent = try ScriptedServer { connection in
      _ = try connection.readRequest()
      try connection.send("HTTP/1.1 404 Not Found\r\nContent-Length: 100\r\n\r\n")
      _ = connection.waitForPeerClose(timeout: .seconds(60))
    }
    let start = ContinuousClock.now
    #expect(await TestSession.error { _ = try await session.data(from: url(silent, "/x")) }?.code == .fileDoesNotExist)
    #expect(ContinuousClock.now - start < .seconds(30))
    #expect(await silent.waitForIdle())
    for server in [server, silent] { await server.stop() }
  }

  /// Fields of the request reach the server, and a question's do not.
  @Test func fieldsArePassedOn() async throws {
    let server = try ScriptedDAV.server([
      "PROPFIND": ScriptedDAV.answer(ScriptedDAV.head + ScriptedDAV.response("/x%20y") + ScriptedDAV.end),
      "MOVE": HTTPResponse(201), "PUT": HTTPResponse(201), "DELETE": HTTPResponse(204),
    ])
    let source = url(server, "/x%20y")
    try await session.send(
      "MOVE", source,
      ["Destination": url(server, "/a%2525").absoluteString, "Overwrite": "F", "X-Test": "1", "If": "(<lock>)"])
    let move = try #require(server.log.requests.last)
    #expect(move.method == "MOVE" && move.path == "/x%20y")
    #expect(move.fields["Destination"] == "http://127.0.0.1:\(server.port)/a%2525" && move.fields["Overwrite"] == "F")
    #expect(move.fields["X-Test"] == "1" && move.fields["If"] == "(<lock>)")
    let question = try #require(server.log.requests.first)
    #expect(question.method == "PROPFIND" && question.fields["Depth"] == "0" && question.fields["X-Test"] == "1")
    for name in ["Destination", "Overwrite", "If"] { #expect(question.fields[name] == nil) }
    try await session.send("DELETE", source, ["If-Match": "\"1\"", "Depth": "infinity"])
    #expect(
      server.log.requests.last?.fields["If-Match"] == "\"1\"" && server.log.requests.last?.fields["Depth"] == "infinity"
    )
    try await session.store(Data("x".utf8), at: source, ["Content-Type": "text/plain"])
    #expect(server.log.requests.last?.fields["Content-Type"] == "text/plain")
    await server.stop()
  }

  // MARK: Files

  @Test func aFileThatBreaksOffFails() async throws {
    let server = try ScriptedServer { connection in
      _ = try connection.readRequest()
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf")
    }
    let error = await TestSession.error { _ = try await session.data(from: url(server, "/file")) }
    #expect(error?.code == .networkConnectionLost && error?.failingURL == url(server, "/file"))
    await server.stop()
  }

  @Test func aServerThatIsNotThereHasTheLoadsOwnError() async throws {
    let port = try FreePort.pick()
    let url = try #require(URL(string: "dav://127.0.0.1:\(port)/x"))
    let error = await TestSession.error { _ = try await session.data(from: url) }
    #expect(error?.code == .cannotConnectToHost && error?.failingURL == url)
    #expect((error?.userInfo[NSUnderlyingErrorKey]) != nil)
    let noHost = try #require(URL(string: "dav:///x"))
    #expect(await TestSession.error { _ = try await session.data(from: noHost) }?.code == .badURL)
  }

  /// A stalled upload ends with its task.
  @Test func anUploadThatStallsIsCancelled() async throws {
    let server = try ScriptedServer { connection in
      _ = try connection.readRequestHead()
      _ = connection.waitForPeerClose(timeout: .seconds(60))
    }
    let bytes = Data(count: 32 << 20)
    let task = Task { try await session.store(bytes, at: url(server, "/file")) }
    #expect(await server.waitForRequests(1))
    task.cancel()
    await #expect(throws: (any Error).self) { try await task.value }
    #expect(await server.waitForIdle())
    await server.stop()
  }
}
