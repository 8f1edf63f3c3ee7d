import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// Directories of FTP servers: of a real one, and of one that does what none should.
@Suite(.timeLimit(.minutes(4))) struct FTPDirectoryTests {
  private let session = URLSession.direct { $0.timeoutIntervalForRequest = 20 }
  private static let root: Set<String> = ["small.txt", "large.bin", "empty.bin", "page.html", "data.json", "folder"]

  // MARK: A real server

  @Test(arguments: [[], ["MLSD"]]) func listsWithAndWithoutMLSD(disabled: [String]) async throws {
    var options = FTPServer.Options()
    options.disabledCommands = disabled
    let server = try await FTPServer.start(options: options)
    let folder = server.documentRoot
    try Data("x".utf8).write(to: folder.appendingPathComponent("ä b%20;c.txt"))
    let entries = try await session.allEntries(at: server.url("/"))
    let plain = entries.filter { Self.root.contains($0.name) }
    #expect(Set(plain.map(\.name)) == Self.root && entries.count == 7)
    let small = try #require(entries.first { $0.name == "small.txt" })
    #expect(small.kind == .file && small.size == 1024 && small.url == server.url("/small.txt"))
    let age = try abs(#require(small.modificationDate).timeIntervalSinceNow)
    #expect(age < 86_400 * 2)
    let odd = try #require(entries.first { $0.name == "ä b%20;c.txt" })
    #expect(try await session.data(from: odd.url).0 == Data("x".utf8))
    let inner = try #require(entries.first { $0.kind == .directory })
    #expect(inner.url == server.url("/folder/") && inner.size == nil)
    for url in [inner.url, server.url("/folder")] {
      #expect(try await session.allEntries(at: url).map(\.name) == ["inner.txt"])
    }
    try FileManager.default.createDirectory(
      at: folder.appendingPathComponent("hollow"), withIntermediateDirectories: false)
    #expect(try await session.allEntries(at: server.url("/hollow")).isEmpty)
    #expect(server.log.contains("LIST") == !disabled.isEmpty)
    await server.stop()
  }

  @Test(arguments: [[], ["MLSD"]]) func whatCannotBeListedHasItsCode(disabled: [String]) async throws {
    var options = FTPServer.Options()
    options.disabledCommands = disabled
    let server = try await FTPServer.start(options: options)
    for (path, code) in [
      ("/missing/", URLError.Code.fileDoesNotExist), ("/missing", .fileDoesNotExist),
      ("/no/such/folder", .fileDoesNotExist), ("/small.txt", .resourceUnavailable),
    ] {
      let error = try await #require(throws: URLError.self, "\(path)") {
        try await session.allEntries(at: server.url(path))
      }
      #expect(error.code == code, "\(path): \(error.localizedDescription)")
      #expect(error.failingURL == server.url(path))
    }
    await server.stop()
  }

  @Test func logsInAndAnswersChallenges() async throws {
    var options = FTPServer.Options()
    options.allowsAnonymous = false
    let server = try await FTPServer.start(options: options)
    let refused = try await #require(throws: URLError.self) { try await session.allEntries(at: server.url("/")) }
    #expect(refused.code == .userAuthenticationRequired)
    let named = server.url("/", user: FTPServer.user, password: FTPServer.password)
    let entries = try await session.allEntries(at: named)
    #expect(Set(entries.map(\.name)) == Self.root)
    let file = try #require(entries.first { $0.name == "small.txt" })
    #expect(try await session.data(from: file.url).0 == DocumentRoot.small)
    let recorder = LoadRecorder(onChallenge: { _ in
      let credential = URLCredential(user: FTPServer.user, password: FTPServer.password, persistence: .none)
      return (.useCredential, credential)
    })
    var count = 0
    for try await _ in session.entries(at: server.url("/"), delegate: recorder) { count += 1 }
    #expect(count == Self.root.count)
    await server.stop()
  }

  @Test func listsOverTLS() async throws {
    let server = try await FTPServer.secure
    let authority = try await TestCertificates.shared.authority
    let session = URLSession.direct { $0.certificateAuthorityFile = authority }
    let url = try #require(URL(string: server.url("/").absoluteString.replacing("ftp:", with: "ftps:")))
    let entries = try await session.allEntries(at: url)
    #expect(Set(entries.map(\.name)) == Self.root)
    #expect(entries.allSatisfy { $0.url.scheme == "ftps" })
  }

  // MARK: Servers that go wrong

  @Test func aServerThatKnowsNeitherFails() async throws {
    let server = try ScriptedFTP(replies: ["MLSD": "502 No", "LIST": "502 No"])
    let error = await session.brokenEntries(at: server.url("/d")).error as? URLError
    #expect(error?.code == .badServerResponse, "\(String(describing: error))")
    #expect(server.commands.value.filter { $0 == "MLSD" || $0 == "LIST" } == ["MLSD", "LIST"])
  }

  @Test(arguments: ["550 No", "425 No"]) func aRefusalIsNoReasonToAskAgain(reply: String) async throws {
    let server = try ScriptedFTP(replies: ["MLSD": reply])
    let error = await session.brokenEntries(at: server.url("/")).error as? URLError
    #expect(error != nil && error?.code != .cancelled)
    #expect(!server.commands.value.contains("LIST"))
  }

  /// Servers from before MLSD say so of a folder that has nothing.
  @Test(arguments: ["450 No files found", "450 Nothing here", "550 No files found.", "550 No members found"])
  func aRefusalToListMayMeanEmpty(reply: String) async throws {
    let server = try ScriptedFTP(replies: ["MLSD": "500 What?", "LIST": reply])
    #expect(try await session.allEntries(at: server.url("/d/")).isEmpty)
  }

  @Test func theLastLineOfAListingNeedsNoEnd() async throws {
    let server = try ScriptedFTP(
      listing: "-rw-r--r-- 1 me us 1 Mar  1 10:00 a\r\n-rw-r--r-- 1 me us 1 Mar  1 10:00 b",
      replies: ["MLSD": "500 What?"])
    #expect(try await session.allEntries(at: server.url("/")).map(\.name) == ["a", "b"])
  }

  @Test func unavailableIsNotEmpty() async throws {
    let server = try ScriptedFTP(replies: ["MLSD": "450 Busy"])
    let error = await session.brokenEntries(at: server.url("/")).error as? URLError
    #expect(error?.code == .resourceUnavailable, "\(String(describing: error))")
  }

  @Test(
    arguments: [
      ("type=file; a\r\nbroken\r\ntype=file; b\r\n", "226 Done", URLError.Code.cannotParseResponse),
      ("type=file; a\r\ntype=fi", "226 Done", .cannotParseResponse),
      ("type=file; a\r\n" + String(repeating: "x", count: 70_000) + "\r\n", "226 Done", .cannotParseResponse),
      ("type=file; a\r\n", "426 Aborted", .networkConnectionLost),
      ("type=file; a\r\n", "451 Disk trouble", .networkConnectionLost),
    ])
  func aListingThatBreaksOffFails(listing: String, end: String, code: URLError.Code) async throws {
    let server = try ScriptedFTP(listing: listing, end: end)
    let (entries, error) = await session.brokenEntries(at: server.url("/"))
    #expect(entries.map(\.name) == ["a"])
    #expect((error as? URLError)?.code == code, "\(String(describing: error))")
    #expect(!server.commands.value.contains("LIST"))
  }

  @Test func namesStayBelowTheDirectory() async throws {
    let server = try ScriptedFTP(
      listing: "type=cdir; /d\r\ntype=dir; ..\r\ntype=file; ../../etc/passwd\r\ntype=file; %2e%2e\r\n")
    let entries = try await session.allEntries(at: server.url("/d"))
    #expect(entries.map(\.url.absoluteString) == [server.url("/d/").absoluteString + "%252e%252e"])
  }

  @Test func anEndlessListingIsHeldBackAndCancelled() async throws {
    let sent = Watched(0)
    let ended = AsyncEvent()
    let server = try ScriptedFTP { connection in
      defer { ended.signal() }
      let lines = Data((0..<1000).map { "type=file;size=1; entry number \($0)\r\n" }.joined().utf8)
      while true {
        try connection.send(lines)
        sent.update { $0 += lines.count }
      }
    }
    var iterator: URLDirectoryEntries.AsyncIterator? = session.entries(at: server.url("/")).makeAsyncIterator()
    #expect(try await iterator?.next()?.name == "entry number 0")
    // The sender comes to rest when the buffers of both ends are full: it makes no step in a while.
    var last = -1
    let rests = try await eventually(interval: .milliseconds(500)) {
      defer { last = sent.value }
      return sent.value == last
    }
    #expect(rests)
    #expect(sent.value < 64 << 20)
    for number in 1..<20_000 { #expect(try await iterator?.next()?.name == "entry number \(number % 1000)") }
    iterator = nil
    #expect(await ended.wait())
    #expect(try await eventually { await session.allTasks.isEmpty })
  }
}
