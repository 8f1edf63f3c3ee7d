import Foundation
import Testing
import URLLoading
import URLLoadingTestServers
import WebDAVProtocol

/// What the conformance checks do not ask, of real servers.
@Suite(.timeLimit(.minutes(4))) struct WebDAVLoadTests {
  private static let bytes = TestFiles.pattern(count: 300_000)

  /// A login is asked for when the body was sent already: the delegate gives another stream.
  @Test(arguments: WebDAVServer.Program.allCases)
  func aStreamIsStoredBehindALogin(_ program: WebDAVServer.Program) async throws {
    let server = try await WebDAVServer.shared(program)
    let delegate = BodyStreams(Self.bytes)
    let session = TestSession.make(delegate: delegate)
    let task = session.uploadTask(
      withStreamedRequest: URLRequest(url: server.url("/private/streamed", login: "user:password@")))
    task.resume()
    #expect(await delegate.ends.wait { !$0.isEmpty })
    #expect(delegate.ends.value == [nil])
    #expect(task.countOfBytesSent == Int64(Self.bytes.count))
    #expect(try server.contents("private/streamed") == Self.bytes)
    session.invalidateAndCancel()
  }

  @Test(arguments: WebDAVServer.Program.allCases)
  func whatTheServerRefusesHasACode(_ program: WebDAVServer.Program) async throws {
    let server = try await WebDAVServer.shared(program)
    let session = TestSession.make()
    let codes = [
      await TestSession.error { _ = try await session.list(server.url("/public/nowhere/")) }?.code,
      await TestSession.error { _ = try await session.data(from: server.url("/public/nothing")) }?.code,
      await TestSession.error { _ = try await session.data(from: server.url("/public/")) }?.code,
      await TestSession.error { _ = try await session.data(from: server.url("/private/x")) }?.code,
      await TestSession.error { _ = try await session.list(server.url("/private/", login: "user:wrong@")) }?.code,
      await TestSession.error { try await session.send("DELETE", server.url("/private/x")) }?.code,
    ]
    #expect(
      codes == [
        .fileDoesNotExist, .fileDoesNotExist, .fileIsDirectory, .userAuthenticationRequired,
        .userAuthenticationRequired,
        .userAuthenticationRequired,
      ])
    session.invalidateAndCancel()
  }

  /// Some redirect the name to that with a slash, some have a page for either.
  @Test(arguments: WebDAVServer.Program.allCases)
  func aDirectoryWithAPageIsADirectory(_ program: WebDAVServer.Program) async throws {
    let server = try await WebDAVServer.shared(program)
    try server.makeFolder("public/paged")
    try server.write(Data("<p>A page</p>".utf8), to: "public/paged/index.html")
    let session = TestSession.make()
    let error = await TestSession.error { _ = try await session.data(from: server.url("/public/paged")) }
    #expect(error?.code == .fileIsDirectory)
    // Which says nothing of other pages.
    try server.write(Data("<p>A page</p>".utf8), to: "public/page.html")
    #expect(try await session.data(from: server.url("/public/page.html")).0 == Data("<p>A page</p>".utf8))
    session.invalidateAndCancel()
  }

  /// Names that need encoding twice, that look like something else, and that are not ASCII.
  @Test(arguments: WebDAVServer.Program.allCases)
  func namesAreTheirOwn(_ program: WebDAVServer.Program) async throws {
    let server = try await WebDAVServer.shared(program)
    let session = TestSession.make()
    try server.makeFolder("public/names")
    let names = [
      "100%", "100%25", "a b", "ü", "a&b<c>", "a+b", "a;b=c", "[x]", "'q'", "~", "a:b", "100%2525", "e\u{301}",
    ]
    let directory = server.url("/public/names/")
    for name in names {
      let url = try #require(URLDirectoryEntry(name: name, in: directory, kind: .file)?.url)
      try await session.store(Data(name.utf8), at: url)
      #expect(try server.contents("public/names/\(name)") == Data(name.utf8))
    }
    let entries = try await session.list(directory)
    #expect(entries.map(\.name).sorted() == names.sorted())
    for entry in entries {
      #expect(entry.kind == .file && entry.size == Int64(entry.name.utf8.count))
      #expect(abs(entry.modificationDate?.timeIntervalSinceNow ?? 1000) < 300)
      #expect(try await session.data(from: entry.url).0 == Data(entry.name.utf8))
      // WsgiDAV takes what is behind a semicolon of a Destination for something else.
      guard program != .wsgidav || !entry.name.contains(";") else {
        try await session.removeItem(at: entry.url)
        continue
      }
      let moved = try #require(URLDirectoryEntry(name: entry.name + " 2%", in: directory, kind: .file)?.url)
      try await session.moveItem(from: entry.url, to: moved)
      try await session.removeItem(at: moved)
    }
    #expect(try await session.list(directory).isEmpty)
    session.invalidateAndCancel()
  }

  @Test(arguments: WebDAVServer.Program.allCases)
  func listsWithAndWithoutASlashAndAllThatIsBelow(_ program: WebDAVServer.Program) async throws {
    let server = try await WebDAVServer.shared(program)
    let session = TestSession.make()
    try server.makeFolder("public/tree/a b/c")
    try server.write(Data("x".utf8), to: "public/tree/a b/c/x")
    try server.write(Data("yy".utf8), to: "public/tree/y")
    for path in ["/public/tree/", "/public/tree"] {
      let entries = try await session.list(server.url(path))
      #expect(entries.map { "\($0.kind) \($0.name)" }.sorted() == ["directory a b", "file y"])
    }
    let file = await TestSession.error { _ = try await session.list(server.url("/public/tree/y")) }
    #expect(file?.code == .resourceUnavailable)
    let other = await TestSession.error { _ = try await session.list(server.url("/public/tree/"), depth: "0") }
    #expect(other?.code == .unsupportedURL)
    if program == .nginx {
      let tree = await TestSession.error { _ = try await session.list(server.url("/public/tree/"), depth: "infinity") }
      #expect(tree?.code == .noPermissionsToReadFile)
    } else {
      let all = try await session.list(server.url("/public/tree/"), depth: "Infinity").map(\.url.absoluteString)
      let base = server.url("/public/tree/").absoluteString
      #expect(all.sorted() == ["a%20b/", "a%20b/c/", "a%20b/c/x", "y"].map { base + $0 })
    }
    session.invalidateAndCancel()
  }

  @Test(arguments: WebDAVServer.Program.allCases)
  func resourcesAreLookedAt(_ program: WebDAVServer.Program) async throws {
    let server = try await WebDAVServer.shared(program)
    let session = TestSession.make()
    try server.makeFolder("public/looked/d")
    try server.write(Data("12345".utf8), to: "public/looked/a b.txt")
    let file = try await session.resourceInfo(at: server.url("/public/looked/a%20b.txt"))
    #expect(file.kind == .file && file.size == 5 && file.url == server.url("/public/looked/a%20b.txt"))
    #expect(abs(file.modificationDate?.timeIntervalSinceNow ?? 1000) < 300)
    #expect(file.validators.entityTag?.hasSuffix("\"") == true)
    for path in ["/public/looked/d", "/public/looked/d/"] {
      let directory = try await session.resourceInfo(at: server.url(path))
      #expect(directory.kind == .directory && directory.size == nil)
    }
    let error = await TestSession.error { _ = try await session.resourceInfo(at: server.url("/public/looked/x")) }
    #expect(error?.code == .fileDoesNotExist)
    if program == .nginx {
      try server.write(Data("123".utf8), to: "plain/seen")
      let plain = try await session.resourceInfo(at: server.url("/plain/seen"))
      #expect(plain.kind == .file && plain.size == 3)
    }
    session.invalidateAndCancel()
  }

  /// Trees, and copies within a server and to another scheme, by what the class has.
  @Test(arguments: WebDAVServer.Program.allCases)
  func treesAreCopiedAndRemoved(_ program: WebDAVServer.Program) async throws {
    let server = try await WebDAVServer.shared(program)
    let session = TestSession.make()
    try server.makeFolder("public/trees/from/d 1/e")
    for name in ["x", "d 1/y", "d 1/e/100%"] { try server.write(Data(name.utf8), to: "public/trees/from/\(name)") }
    let folder = try TemporaryDirectory("trees")
    try await session.copyItem(
      from: server.url("/public/trees/from/"), to: folder.url.appending(component: "here"), recursively: true)
    #expect(try Data(contentsOf: folder.file("here/d 1/e/100%")) == Data("d 1/e/100%".utf8))
    try await session.copyItem(
      from: folder.url.appending(component: "here"), to: server.url("/public/trees/back/"), recursively: true)
    #expect(try server.contents("public/trees/back/d 1/y") == Data("d 1/y".utf8))
    try await session.removeItem(at: server.url("/public/trees/back/"), recursively: true)
    #expect(!server.has("public/trees/back"))
    session.invalidateAndCancel()
  }

  /// The program's delegate is asked about its own task, and told of no other.
  @Test func aDelegateSeesItsTask() async throws {
    let server = try await WebDAVServer.shared
    try server.write(Self.bytes, to: "private/seen")
    let credential = URLCredential(user: "user", password: "password", persistence: .none)
    let witness = Witness(credential: credential)
    let session = TestSession.make(delegate: witness)
    #expect(try await session.data(from: server.url("/private/seen")).0 == Self.bytes)
    #expect(witness.notes.value.challenges == ["\(NSURLAuthenticationMethodHTTPBasic) 0"])
    #expect(await witness.notes.wait { !$0.metrics.isEmpty })
    #expect(witness.notes.value.schemes == ["dav"])
    let transaction = try #require(witness.notes.value.metrics.first?.transactionMetrics.last)
    #expect(transaction.remotePort == String(server.port) && transaction.networkProtocolName == "http/1.1")
    #expect(transaction.countOfResponseBodyBytesReceived == Int64(Self.bytes.count))
    session.invalidateAndCancel()
  }

  /// Trust is the program's: its delegate accepts a certificate that the system does not, and its connection is used again.
  @Test func aDelegateJudgesServers() async throws {
    let server = try await WebDAVServer.shared
    try server.makeFolder("public/trusted")
    let url = server.secureURL("/public/trusted/x")
    let refused = TestSession.make(delegate: Witness())
    let error = await TestSession.error { try await refused.store(Data("x".utf8), at: url) }
    #expect(error?.code == .serverCertificateUntrusted && error?.failingURL == url)
    let alone = TestSession.make()
    #expect(await TestSession.error { _ = try await alone.list(url) }?.code == .serverCertificateUntrusted)
    let witness = Witness(trusts: true)
    let session = TestSession.make(delegate: witness)
    try await session.store(Data("x".utf8), at: url)
    #expect(try await session.list(server.secureURL("/public/trusted")).map(\.name) == ["x"])
    try await session.moveItem(from: url, to: server.secureURL("/public/trusted/y"))
    #expect(try await session.data(from: server.secureURL("/public/trusted/y")).0 == Data("x".utf8))
    #expect(witness.notes.value.challenges == ["\(NSURLAuthenticationMethodServerTrust) 0"])
    for session in [refused, alone, session] { session.invalidateAndCancel() }
  }

  @Test func aSubclassRestrictsWhatIsReached() async throws {
    final class OneFolder: WebDAVProtocol, @unchecked Sendable {
      override class func canInit(with request: URLRequest) -> Bool {
        super.canInit(with: request) && request.url?.path.hasPrefix("/public/only/") == true
      }
    }
    let server = try await WebDAVServer.shared
    try server.makeFolder("public/only")
    let session = TestSession.make { $0.protocolClasses = [OneFolder.self] }
    try await session.store(Data("x".utf8), at: server.url("/public/only/x"))
    let error = await TestSession.error { try await session.store(Data("x".utf8), at: server.url("/public/other")) }
    #expect(error?.code == .unsupportedURL)
    session.invalidateAndCancel()
  }
}
