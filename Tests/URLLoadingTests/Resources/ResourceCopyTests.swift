import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoading

/// `copyItem` and `moveItem` within and between schemes.
@Suite(.timeLimit(.minutes(4))) struct ResourceCopyTests {
  private let folder: TemporaryDirectory
  private let session: URLSession

  init() throws {
    folder = try TemporaryDirectory("copies")
    let configuration = URLSessionConfiguration.ephemeral
    configuration.connectionProxyDictionary = [:]
    configuration.timeoutIntervalForRequest = 30
    session = URLSession(configuration: configuration)
  }

  private func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
  }

  private func text(_ name: String) throws -> String { try String(contentsOf: folder.file(name), encoding: .utf8) }

  private func code(_ body: () async throws -> Void) async -> URLError.Code? {
    let error = await #expect(throws: URLError.self) { try await body() }
    return error?.code
  }

  // MARK: Files

  @Test func aFileIsCopiedWithItsModeAndTimes() async throws {
    let source = try folder.write("a file", "contents")
    let date = Date(timeIntervalSince1970: 1_000_000_000)
    try FileManager.default.setAttributes(
      [.modificationDate: date, .posixPermissions: 0o600], ofItemAtPath: source.path)
    try await session.copyItem(from: source, to: folder.file("copy"))
    let copy = try await session.resourceInfo(at: folder.file("copy"))
    #expect(copy.permissions == 0o600 && copy.modificationDate == date)
    #expect(try names() == ["a file", "copy"] && text("copy") == "contents")
  }

  @Test func whatIsThereIsReplacedOnlyWhereAsked() async throws {
    let (source, target) = (try folder.write("new", "new"), try folder.write("old", "old"))
    #expect(await code { try await session.copyItem(from: source, to: target) } == .cannotCreateFile)
    #expect(try text("old") == "old")
    try await session.copyItem(from: source, to: target, overwriting: true)
    #expect(try text("old") == "new")
    #expect(await code { try await session.copyItem(from: folder.file("x"), to: target) } == .fileDoesNotExist)
    #expect(
      await code { try await session.copyItem(from: folder.url, to: target, overwriting: true) } == .fileIsDirectory)
    #expect(await code { try await session.copyItem(from: source, to: folder.file("x/y")) } == .fileDoesNotExist)
    #expect(try names() == ["new", "old"] && text("old") == "new")
  }

  @Test func aFileMovesToAnotherFileSystem() async throws {
    let other = URL(fileURLWithPath: "/dev/shm/\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: other) }
    var (own, shared) = (stat(), stat())
    try #require(stat(folder.path, &own) == 0 && stat("/dev/shm", &shared) == 0 && own.st_dev != shared.st_dev)
    let source = try folder.write("file", "contents")
    try await session.moveItem(from: source, to: other)
    #expect(try names().isEmpty && String(contentsOf: other, encoding: .utf8) == "contents")
    // A link would become what it leads to.
    symlink("nothing", folder.file("link").path)
    #expect(
      await code { try await session.moveItem(from: folder.file("link"), to: other, overwriting: true) }
        == .cannotMoveFile)
    #expect(try names() == ["link"] && String(contentsOf: other, encoding: .utf8) == "contents")
  }

  // MARK: Between schemes

  @Test func aServersFileIsStored() async throws {
    let body = Data((0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
    let server = try ScriptedServer.http { _ in
      HTTPResponse(
        fields: ["Last-Modified": "Sun, 09 Sep 2001 01:46:40 GMT", "Content-Type": "text/css"], body: body)
    }
    let target = folder.file("copy")
    try await session.copyItem(from: server.url("/a"), to: target)
    #expect(try Data(contentsOf: target) == body)
    #expect(
      try await session.resourceInfo(at: target).modificationDate == Date(timeIntervalSince1970: 1_000_000_000))
    #expect(server.requests.map(\.method) == ["GET"])
    #expect(await code { try await session.copyItem(from: server.url("/a"), to: target) } == .cannotWriteToFile)
  }

  @Test func aFileIsStoredOnAServer() async throws {
    let stored = Watched<[HTTPRequest]>([])
    let server = try ScriptedServer.http { request in
      stored.update { $0.append(request) }
      return HTTPResponse(request.path == "/there" ? 412 : 201)
    }
    let source = try folder.write("page.html", "contents")
    try await session.copyItem(from: source, to: server.url("/new"))
    try await session.copyItem(from: source, to: server.url("/over"), overwriting: true)
    #expect(await code { try await session.copyItem(from: source, to: server.url("/there")) } == .cannotCreateFile)
    #expect(stored.value.map { "\($0.method) \($0.path)" } == ["PUT /new", "PUT /over", "PUT /there"])
    #expect(stored.value.map { $0.fields["If-None-Match"] } == ["*", nil, "*"])
    let first = try #require(stored.value.first)
    #expect(first.body == Data("contents".utf8) && first.fields["Content-Length"] == "8")
    #expect(first.fields["Content-Type"]?.hasPrefix("text/html") == true && first.fields["Last-Modified"] != nil)
  }

  @Test func oneServerCopiesByItself() async throws {
    let server = try ScriptedServer.http { request in
      switch (request.method, request.path) {
      case ("COPY", "/able"): HTTPResponse(201)
      case ("COPY", "/full"): HTTPResponse(507)
      case ("COPY", "/there"): HTTPResponse(412)
      // One that takes every method for a question.
      case ("COPY", "/page"), ("GET", _): HTTPResponse(200, text: "page")
      case ("PUT", _): HTTPResponse(201)
      default: HTTPResponse(405)
      }
    }
    for path in ["/able", "/page", "/unable"] {
      try await session.copyItem(from: server.url(path), to: server.url("/x"))
    }
    #expect(
      server.requests.map { "\($0.method) \($0.path)" } == [
        "COPY /able", "COPY /page", "GET /page", "PUT /x", "COPY /unable", "GET /unable", "PUT /x",
      ])
    for path in ["/full", "/there"] {
      let code = await code { try await session.copyItem(from: server.url(path), to: server.url("/x")) }
      #expect(code == .cannotCreateFile)
    }
    #expect(server.requests.count == 9)
  }

  /// A server that ends each connection after a third of the file, and tells another version from its `change`th request on.
  private func breaking(_ body: Data, change: Int = .max, tag: String = "\"1\"") throws -> ScriptedServer {
    let count = Watched(0)
    return try ScriptedServer { connection in
      guard let request = try connection.readRequest() else { return }
      let number = count.update { count -> Int in
        count += 1
        return count
      }
      let tag = number >= change ? "\"2\"" : tag
      let range = request.fields["Range"].flatMap { Int($0.dropFirst("bytes=".count).dropLast()) }
      let wanted = request.fields["If-Range"] == tag ? range ?? 0 : 0
      let part = body[wanted...]
      var fields = "ETag: \(tag)\r\nAccept-Ranges: bytes\r\nContent-Length: \(part.count)\r\n"
      if wanted > 0 { fields += "Content-Range: bytes \(wanted)-\(body.count - 1)/\(body.count)\r\n" }
      try connection.send("HTTP/1.1 \(wanted > 0 ? "206 Part" : "200 OK")\r\n\(fields)\r\n")
      try connection.send(Data(part.prefix(body.count / 3 + 1)))
    }
  }

  @Test func aSourceWhoseConnectionBreaksGoesOn() async throws {
    let body = TestFiles.pattern(count: 900_000)
    let server = try breaking(body)
    try await session.copyItem(from: server.url("/a"), to: folder.file("copy"))
    #expect(TestFiles.firstDifference(try Data(contentsOf: folder.file("copy")), body) == nil)
    #expect(server.requests.map { $0.fields["If-Range"] } == [nil, "\"1\"", "\"1\""])
    #expect(server.requests.last?.fields["Range"]?.hasPrefix("bytes=6") == true)
  }

  /// Another version, or one that no strong validator tells: the copy fails, and nothing is there.
  @Test(arguments: [(2, "\"1\""), (.max, "W/\"1\"")]) func anotherVersionIsNotAppended(change: Int, tag: String)
    async throws
  {
    let server = try breaking(TestFiles.pattern(count: 900_000), change: change, tag: tag)
    let code = await code { try await session.copyItem(from: server.url("/a"), to: folder.file("copy")) }
    #expect(code == (change == 2 ? .cannotDecodeRawData : .networkConnectionLost))
    #expect(try await eventually { try names().isEmpty })
  }

  /// A server that sends nothing more is not asked for ever.
  @Test func aSourceThatDoesNotComeFurtherIsGivenUp() async throws {
    let server = try ScriptedServer { connection in
      guard let request = try connection.readRequest() else { return }
      let isFirst = request.fields["Range"] == nil
      try connection.send(
        isFirst
          ? "HTTP/1.1 200 OK\r\nETag: \"1\"\r\nAccept-Ranges: bytes\r\nContent-Length: 1000\r\n\r\nabc"
          : "HTTP/1.1 206 Part\r\nETag: \"1\"\r\nContent-Range: bytes 3-999/1000\r\nContent-Length: 997\r\n\r\n")
    }
    let code = await code { try await session.copyItem(from: server.url("/a"), to: folder.file("copy")) }
    #expect(code == .networkConnectionLost)
    #expect(server.requests.count == 4)
    #expect(try await eventually { try names().isEmpty })
  }

  /// Two servers that tell digests (RFC 9530): the source is removed where they are the same.
  @Test(arguments: [true, false]) func aMoveComparesDigests(isSame: Bool) async throws {
    func server(_ digest: String) throws -> ScriptedServer {
      try ScriptedServer.http { request in
        switch request.method {
        case "PUT": HTTPResponse(201)
        case "DELETE": HTTPResponse(204)
        default: HTTPResponse(fields: ["ETag": "\"1\"", "Repr-Digest": "sha-256=:\(digest):, x=?1"], text: "contents")
        }
      }
    }
    let (source, target) = (try server("AAAA"), try server(isSame ? "AAAA" : "BBBB"))
    let code: URLError.Code?
    do {
      try await session.moveItem(from: source.url("/a"), to: target.url("/b"))
      code = nil
    } catch let error as URLError {
      code = error.code
    }
    #expect(code == (isSame ? nil : .cannotMoveFile))
    #expect(source.requests.contains { $0.method == "DELETE" } == isSame)
    #expect(source.requests.map { $0.fields["Want-Repr-Digest"] }.contains("sha-256=10"))
    #expect(try await session.resourceInfo(at: source.url("/a")).digests == ["sha-256": Data([0, 0, 0])])
  }

  @Test func aMoveRemovesWhatWasCopied() async throws {
    let body = Watched("contents")
    let server = try ScriptedServer.http { request in
      request.method == "DELETE"
        ? HTTPResponse(204)
        : HTTPResponse(fields: ["ETag": "\"\(body.value)\""], text: body.value)
    }
    try await session.moveItem(from: server.url("/a"), to: folder.file("moved"))
    #expect(try text("moved") == "contents")
    #expect(server.requests.map(\.method) == ["HEAD", "GET", "HEAD", "DELETE"])
    // Whoever changes it in the last moment keeps it.
    #expect(server.requests.last?.fields["If-Match"] == "\"contents\"")
  }

  /// Before the copy, with it, or after it.
  @Test(arguments: [1, 2, 3]) func whatChangesMeanwhileIsNotRemoved(_ last: Int) async throws {
    let count = Watched(0)
    let server = try ScriptedServer.http { _ in
      let number = count.update { count in
        count += 1
        return count
      }
      return HTTPResponse(
        fields: ["ETag": number < last ? "\"a\"" : "\"b\""], text: number < last ? "contents" : "CONTENTS")
    }
    guard last > 1 else {
      // It is the same all the time.
      return try await session.moveItem(from: server.url("/a"), to: folder.file("moved"))
    }
    #expect(
      await code { try await session.moveItem(from: server.url("/a"), to: folder.file("moved")) } == .cannotMoveFile)
    #expect(try text("moved") == (last == 2 ? "CONTENTS" : "contents"))
    #expect(!server.requests.map(\.method).contains("DELETE"))
  }

  @Test func aSourceOfUnknownVersionStays() async throws {
    let server = try ScriptedServer.http { _ in HTTPResponse(text: "contents") }
    #expect(
      await code { try await session.moveItem(from: server.url("/a"), to: folder.file("moved")) } == .cannotMoveFile)
    #expect(server.requests.map(\.method) == ["HEAD"])
  }

  @Test func aHeadOfAnotherLengthKeepsTheSource() async throws {
    let server = try ScriptedServer.http { request in
      HTTPResponse(fields: ["ETag": "\"a\""], text: request.method == "HEAD" ? "contents" : "short")
    }
    #expect(
      await code { try await session.moveItem(from: server.url("/a"), to: folder.file("moved")) } == .cannotMoveFile)
    #expect(!server.requests.map(\.method).contains("DELETE"))
  }

  /// What a cache has is no version of now.
  @Test func aMoveIsNotAnsweredByTheCache() async throws {
    let text = Watched("old text")
    let server = try ScriptedServer.http { request in
      HTTPResponse(
        request.method == "DELETE" ? 204 : 200,
        fields: ["Cache-Control": "max-age=1000", "ETag": "\"\(text.value)\""], text: text.value)
    }
    #expect(try await session.data(from: server.url("/a")).0 == Data("old text".utf8))
    text.update { $0 = "new text" }
    try await session.moveItem(from: server.url("/a"), to: folder.file("moved"))
    #expect(try self.text("moved") == "new text")
    #expect(server.requests.map(\.method) == ["GET", "HEAD", "GET", "HEAD", "DELETE"])
  }

  /// By HTTP a directory would be removed for what replaces it, so that a file is replaced by a copy.
  @Test func aFileThatIsThereIsReplacedByACopy() async throws {
    let target = Watched("old")
    let server = try ScriptedServer.http { request in
      switch request.method {
      case "MOVE": return HTTPResponse(412)
      case "PUT":
        target.update { $0 = String(decoding: request.body, as: UTF8.self) }
        return HTTPResponse(201)
      case "DELETE": return HTTPResponse(204)
      default:
        return HTTPResponse(fields: ["ETag": "\"a\""], text: request.path == "/b" ? target.value : "contents")
      }
    }
    try await session.moveItem(from: server.url("/a"), to: server.url("/b"), overwriting: true)
    #expect(server.requests.map(\.method) == ["MOVE", "HEAD", "HEAD", "GET", "PUT", "HEAD", "HEAD", "DELETE"])
    #expect(server.requests.first?.fields["Overwrite"] == "F")
  }

  /// The page of a directory is not its contents.
  @Test func aDirectoryOfAServerIsNotMovedByItsPage() async throws {
    let server = try ScriptedServer.http { request in
      request.path == "/a"
        ? HTTPResponse(301, fields: ["Location": "/a/"]) : HTTPResponse(fields: ["ETag": "\"a\""], text: "page")
    }
    for path in ["/a", "/a/"] {
      #expect(
        await code { try await session.moveItem(from: server.url(path), to: folder.file("moved")) } == .cannotMoveFile)
    }
    #expect(try names().isEmpty && !server.requests.map(\.method).contains("DELETE"))
  }

  /// Two names of one server, whose file would replace itself and be removed.
  @Test func whatMayBeTheSameFileIsNotMoved() async throws {
    let server = try ScriptedServer.http { _ in
      HTTPResponse(fields: ["Last-Modified": "Sun, 09 Sep 2001 01:46:40 GMT"], text: "contents")
    }
    let other = try #require(URL(string: "http://localhost:\(server.port)/a"))
    #expect(
      await code { try await session.moveItem(from: server.url("/a"), to: other, overwriting: true) }
        == .cannotMoveFile)
    #expect(server.requests.map(\.method) == ["HEAD", "HEAD"])
    for (source, target) in [("/a", "/a"), ("/a/", "/a"), ("/x/../a", "/a")] {
      let code = await code {
        try await session.copyItem(from: server.url(source), to: server.url(target), overwriting: true)
      }
      #expect(code == .cannotCreateFile, "\(source)")
    }
    #expect(server.requests.count == 2)
  }

  /// Servers that take every method for a question.
  @Test func aPageIsNoAnswerToAVerb() async throws {
    let server = try ScriptedServer.http { _ in HTTPResponse(text: "page") }
    #expect(
      await code { try await session.moveItem(from: server.url("/a"), to: server.url("/b")) } == .badServerResponse)
    #expect(await code { try await session.createDirectory(at: server.url("/a")) } == .badServerResponse)
  }

  /// The load of a source holds the only connection that there may be to its host until all is stored.
  @Test(arguments: [1, 2]) func oneHostHasConnectionsForBothEnds(_ limit: Int) async throws {
    let body = TestFiles.pattern(count: 3 << 20)
    let stored = Watched(0)
    let server = try ScriptedServer.http { request in
      guard request.method != "GET" else { return HTTPResponse(body: body) }
      guard request.method == "PUT" else { return HTTPResponse(405) }
      if request.body == body { stored.update { $0 += 1 } }
      return HTTPResponse(201)
    }
    let configuration = URLSessionConfiguration.ephemeral
    configuration.connectionProxyDictionary = [:]
    configuration.httpMaximumConnectionsPerHost = limit
    let session = URLSession(configuration: configuration)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in 0..<8 {
        group.addTask {
          try await session.copyItem(from: server.url("/a\(index)"), to: server.url("/b\(index)"))
        }
      }
      try await group.waitForAll()
    }
    #expect(stored.value == 8)
  }

  /// A source that gives another number of bytes than it has announced.
  @Test(arguments: [60, 140]) func aLengthThatIsNotTrueLeavesNoTarget(_ count: Int) async throws {
    final class Lying: AsyncURLProtocol, @unchecked Sendable {
      override class func canInit(with request: URLRequest) -> Bool { request.url?.scheme == "lying" }
      override func load(_ request: URLRequest, to writer: Writer) async throws {
        try await writer.respond(mimeType: nil, length: 100)
        try await writer.write(Data(count: request.url?.port ?? 0))
      }
    }
    let configuration = URLSessionConfiguration.ephemeral
    configuration.protocolClasses = [Lying.self]
    let session = URLSession(configuration: configuration)
    let url = try #require(URL(string: "lying://host:\(count)/"))
    await #expect(throws: URLError.self) { try await session.copyItem(from: url, to: folder.file("copy")) }
    #expect(try names().isEmpty)
  }

  /// A server that says it has stored, and has not, or not all of it.
  @Test func aCopyInDoubtLeavesItsSource() async throws {
    let server = try ScriptedServer.http { request in
      request.method == "PUT" ? HTTPResponse(201) : HTTPResponse(text: "short")
    }
    let source = try folder.write("file", "contents")
    #expect(await code { try await session.moveItem(from: source, to: server.url("/a")) } == .cannotMoveFile)
    #expect(try names() == ["file"])
  }

  // MARK: Failures

  /// The target is not there where its source ends before its time.
  @Test(arguments: [true, false])
  func aSourceThatEndsEarlyLeavesNoTarget(_ overwrites: Bool) async throws {
    let server = try ScriptedServer { connection in
      _ = try connection.readRequestHead()
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10000\r\n\r\nbeginning")
    }
    if overwrites { try folder.write("copy", "old") }
    let code = await code {
      try await session.copyItem(from: server.url("/a"), to: folder.file("copy"), overwriting: overwrites)
    }
    #expect(code == .networkConnectionLost)
    #expect(try names() == (overwrites ? ["copy"] : []))
    if overwrites { #expect(try text("copy") == "old") }
  }

  @Test func aTargetThatRefusesEndsItsSource() async throws {
    let isGone = AsyncEvent()
    let server = try ScriptedServer { connection in
      guard try connection.readRequestHead()?.method == "GET" else {
        return try connection.send("HTTP/1.1 507 Full\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
      }
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\nbeginning")
      _ = connection.waitForPeerClose(timeout: .seconds(60))
      isGone.signal()
    }
    let code = await code {
      try await session.copyItem(
        from: server.url("/a"), to: try #require(URL(string: "http://localhost:\(server.port)/b")))
    }
    #expect(code == .cannotCreateFile)
    #expect(await isGone.wait())
  }

  @Test func aCancelledCopyEndsBoth() async throws {
    let (hasBegun, isGone) = (AsyncEvent(), AsyncEvent())
    let server = try ScriptedServer { connection in
      _ = try connection.readRequestHead()
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nbeginning")
      hasBegun.signal()
      _ = connection.waitForPeerClose(timeout: .seconds(60))
      isGone.signal()
    }
    let (session, url, target) = (session, server.url("/a"), folder.file("copy"))
    let copy = Task { try await session.copyItem(from: url, to: target) }
    #expect(await hasBegun.wait())
    copy.cancel()
    await #expect(throws: (any Error).self) { try await copy.value }
    #expect(await isGone.wait())
    #expect(try names().isEmpty)
  }

  /// The answer to a challenge takes the body from its beginning, which is loaded again.
  @Test func aTargetThatWantsALoginGetsTheWhole() async throws {
    final class Login: NSObject, URLSessionTaskDelegate {
      func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge
      ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
        (.useCredential, URLCredential(user: "user", password: "password", persistence: .forSession))
      }
    }
    let body = String(repeating: "contents", count: 200_000)
    let source = try folder.write("file", body)
    let stored = Watched("")
    let server = try ScriptedServer.http { request in
      guard request.fields["Authorization"] != nil else {
        return HTTPResponse(401, fields: ["WWW-Authenticate": "Basic realm=\"x\""])
      }
      stored.update { $0 = String(decoding: request.body, as: UTF8.self) }
      return HTTPResponse(201)
    }
    try await session.copyItem(from: source, to: server.url("/a"), delegate: Login())
    #expect(stored.value == body)
  }

  @Test func manyAtOnce() async throws {
    let body = Data((0..<50_000).map { UInt8(truncatingIfNeeded: $0 &* 13) })
    let server = try ScriptedServer.http { _ in HTTPResponse(body: body) }
    let (session, folder) = (session, folder)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in 0..<1000 {
        group.addTask { try await session.copyItem(from: server.url("/\(index)"), to: folder.file("\(index)")) }
      }
      try await group.waitForAll()
    }
    let names = try names()
    #expect(names.count == 1000)
    for name in names { #expect(try Data(contentsOf: folder.file(name)) == body) }
  }
}
