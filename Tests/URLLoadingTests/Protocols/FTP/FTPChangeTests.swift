import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// `DELETE`, `MKCOL` and `MOVE` of `ftp:` URLs, and the functions of sessions on top, against a real server.
@Suite(.timeLimit(.minutes(4))) struct FTPChangeTests {
  private static let lazy = LazyServer { try await FTPServer.start() }

  private let server: FTPServer
  private let session: URLSession
  /// Of this test alone, in the server's home.
  private let folder: URL

  init() async throws {
    server = try await Self.lazy.server
    let configuration = URLSessionConfiguration.ephemeral
    configuration.connectionProxyDictionary = [:]
    session = URLSession(configuration: configuration)
    folder = server.documentRoot.appendingPathComponent("changes-\(UUID().uuidString)", isDirectory: true)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  /// - Parameter name: decoded.
  private func url(_ name: String, user: String? = FTPServer.user) -> URL {
    server.url("/\(folder.lastPathComponent)/\(name)", user: user, password: user.map { _ in FTPServer.password })
  }

  private func write(_ name: String, _ text: String = "text") throws {
    let file = folder.appendingPathComponent(name)
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
  }

  private func directory(_ name: String) throws {
    try FileManager.default.createDirectory(
      at: folder.appendingPathComponent(name), withIntermediateDirectories: true)
  }

  private func names(in name: String = "") throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.appendingPathComponent(name).path).sorted()
  }

  private func text(_ name: String) throws -> String {
    try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
  }

  private func request(_ method: String, _ url: URL, to target: URL? = nil, _ fields: [String: String] = [:])
    -> URLRequest
  {
    var request = URLRequest(url: url)
    request.httpMethod = method
    if let target { request.setValue(target.absoluteString, forHTTPHeaderField: "Destination") }
    for (name, value) in fields { request.setValue(value, forHTTPHeaderField: name) }
    return request
  }

  private func carryOut(_ request: URLRequest) async throws {
    let (body, response) = try await session.data(for: request)
    #expect(body.isEmpty && response.expectedContentLength == 0 && response.url == request.url)
  }

  private func carryOut(
    _ method: String, _ name: String, to target: String? = nil, _ fields: [String: String] = [:]
  ) async throws {
    try await carryOut(request(method, url(name), to: target.map { url($0) }, fields))
  }

  // MARK: Trees

  /// With one connection a listing has to come to its end before anything is done to what it lists.
  @Test(arguments: [1, 2, 6]) func treesAreRemovedAndCopied(_ limit: Int) async throws {
    for index in 0..<40 { try write("tree/\(index % 4)/\(index % 3) x/\(index)", "\(index)") }
    let configuration = URLSessionConfiguration.ephemeral
    configuration.connectionProxyDictionary = [:]
    configuration.httpMaximumConnectionsPerHost = limit
    let session = URLSession(configuration: configuration)
    try await session.copyItem(from: url("tree"), to: url("copy"), recursively: true)
    #expect(
      try FileManager.default.subpathsOfDirectory(atPath: folder.appendingPathComponent("copy").path).sorted()
        == FileManager.default.subpathsOfDirectory(atPath: folder.appendingPathComponent("tree").path).sorted())
    try await session.removeItem(at: url("tree"), recursively: true)
    try await session.removeItem(at: url("copy/"), recursively: true)
    #expect(try names().isEmpty)
  }

  @Test func aSlashAtTheEndIsLookedAt() async throws {
    try directory("directory")
    #expect(try await session.resourceInfo(at: url("directory/")).kind == .directory)
    #expect(await code { _ = try await session.resourceInfo(at: url("missing/")) } == .fileDoesNotExist)
    #expect(
      await code {
        try await session.createDirectory(at: url("x/", user: nil), withIntermediateDirectories: true)
      } == .cannotCreateFile)
  }

  // MARK: Storing

  @Test func whatIsThereIsNotReplacedByAnUpload() async throws {
    try write("old", "old")
    try directory("directory")
    let fields = ["If-None-Match": "*"]
    for name in ["old", "directory"] {
      let error = await #expect(throws: URLError.self) {
        _ = try await session.upload(for: request("PUT", url(name), fields), from: Data("new".utf8))
      }
      #expect(error?.code == .cannotCreateFile && error?.failingURL == url(name), "\(name): \(error as Any)")
    }
    _ = try await session.upload(for: request("PUT", url("a b"), fields), from: Data("new".utf8))
    #expect(try names() == ["a b", "directory", "old"] && text("old") == "old" && text("a b") == "new")
    let error = await #expect(throws: URLError.self) {
      _ = try await session.upload(for: request("PUT", url("x"), ["If-Match": "\"a\""]), from: Data("new".utf8))
    }
    #expect(error?.code == .unsupportedURL)
    #expect(try names() == ["a b", "directory", "old"])
  }

  @Test func filesAreCopiedFromAndTo() async throws {
    let own = try TemporaryDirectory("copies")
    let file = try own.write("f", String(repeating: "text", count: 100_000))
    try await session.copyItem(from: file, to: url("copy"))
    await #expect(throws: URLError.self) { try await session.copyItem(from: file, to: url("copy")) }
    try await session.copyItem(from: url("copy"), to: url("beside"))
    try await session.moveItem(from: url("beside"), to: own.file("back"))
    #expect(try Data(contentsOf: own.file("back")) == Data(contentsOf: file))
    #expect(try names() == ["copy"])
    let info = try await session.resourceInfo(at: url("copy"))
    #expect(info.kind == .file && info.size == 400_000 && info.modificationDate != nil)
  }

  @discardableResult
  private func expectFailure(
    _ code: URLError.Code, _ request: URLRequest, at location: SourceLocation = #_sourceLocation
  ) async -> String {
    let error = await #expect(throws: URLError.self, sourceLocation: location) { try await session.data(for: request) }
    let words = error?.localizedDescription ?? ""
    #expect(error?.code == code && error?.failingURL == request.url, "\(words)", sourceLocation: location)
    #expect(!words.contains(FTPServer.password), sourceLocation: location)
    return words
  }

  @discardableResult
  private func expectFailure(
    _ code: URLError.Code, _ method: String, _ name: String, to target: String? = nil, _ fields: [String: String] = [:],
    at location: SourceLocation = #_sourceLocation
  ) async -> String {
    await expectFailure(code, request(method, url(name), to: target.map { url($0) }, fields), at: location)
  }

  private func code(_ body: () async throws -> Void) async -> URLError.Code? {
    let error = await #expect(throws: URLError.self) { try await body() }
    return error?.code
  }

  // MARK: Removing

  @Test func filesAndEmptyDirectoriesAreRemoved() async throws {
    try write("file")
    try directory("empty")
    try directory("with slash")
    try write("in/side")
    for name in ["file", "empty", "with slash/", "in/side", "in"] { try await carryOut("DELETE", name) }
    #expect(try names().isEmpty)
  }

  @Test func whatCannotBeRemovedStays() async throws {
    try write("full/inside")
    #expect(await expectFailure(.cannotRemoveFile, "DELETE", "full").contains("not empty"))
    #expect(await expectFailure(.cannotRemoveFile, "DELETE", "full/").contains("550"))
    #expect(await expectFailure(.fileDoesNotExist, "DELETE", "missing").contains("No such file"))
    await expectFailure(.fileDoesNotExist, "DELETE", "missing/inside")
    await expectFailure(.fileDoesNotExist, "DELETE", "missing/")
    await expectFailure(.cannotRemoveFile, "DELETE", "full/inside/below")
    await expectFailure(.cannotRemoveFile, "DELETE", "full/inside/")
    await expectFailure(.cannotRemoveFile, request("DELETE", url("full/inside", user: nil)))
    await expectFailure(.cannotRemoveFile, request("DELETE", server.url("/", user: FTPServer.user)))
    #expect(try text("full/inside") == "text")
  }

  /// A name is one argument of one command, whatever is in it, and its neighbours stay.
  @Test(arguments: [
    "a b.txt", "100%.txt", "%41", "a#b", "a?b", "ü ñ 日本.txt", "-rf", "a;b", "*", "a&b", "~", "\"quoted\"", "a\\b",
    "permission denied", "DELE x",
  ])
  func names(_ name: String) async throws {
    try write(name)
    for other in ["a", "A", "rf", "x"] { try write(other) }
    try await carryOut("MOVE", name, to: "new \(name)", ["Overwrite": "F"])
    try await carryOut("MKCOL", "dir \(name)")
    try await carryOut("MOVE", "new \(name)", to: "dir \(name)/\(name)", ["Overwrite": "F"])
    #expect(try text("dir \(name)/\(name)") == "text")
    try await carryOut("DELETE", "dir \(name)/\(name)")
    try await carryOut("DELETE", "dir \(name)")
    #expect(try names() == ["A", "a", "rf", "x"])
  }

  // MARK: Making

  @Test func directoriesAreMade() async throws {
    try await carryOut("MKCOL", "a dir")
    try await carryOut("MKCOL", "a dir/inside/")
    #expect(try names(in: "a dir") == ["inside"])
    try write("file")
    for name in ["a dir", "a dir/", "file", "file/below"] { await expectFailure(.cannotCreateFile, "MKCOL", name) }
    await expectFailure(.fileDoesNotExist, "MKCOL", "none/inside")
    await expectFailure(.cannotCreateFile, request("MKCOL", url("other", user: nil)))
    #expect(try names() == ["a dir", "file"])
  }

  // MARK: Moving

  @Test func whatIsMovedHasItsNewNameAlone() async throws {
    try write("file", "a")
    try write("directory/inside", "b")
    for overwrite in ["F", "T"] {
      for name in ["file", "directory"] {
        try await carryOut("MOVE", name, to: "new \(name)", ["Overwrite": overwrite])
      }
      #expect(try names() == ["new directory", "new file"])
      for name in ["file", "directory"] { try await carryOut("MOVE", "new \(name)", to: name) }
    }
    try await carryOut("MOVE", "file", to: "directory/file")
    try await carryOut("MOVE", "directory/inside", to: "up")
    #expect(try names() == ["directory", "up"] && text("directory/file") == "a" && text("up") == "b")
  }

  @Test func aTargetIsReplacedWhereThatIsWanted() async throws {
    try write("file", "new")
    try write("old", "old")
    let words = await expectFailure(.cannotMoveFile, "MOVE", "file", to: "old", ["Overwrite": "F"])
    #expect(words.contains("not to be replaced"))
    await expectFailure(.cannotMoveFile, "MOVE", "file", to: "old", ["If-None-Match": "*"])
    #expect(try text("old") == "old" && text("file") == "new")
    try await carryOut("MOVE", "file", to: "old", ["Overwrite": "T"])
    #expect(try names() == ["old"] && text("old") == "new")
  }

  @Test func whatCannotBeMovedStays() async throws {
    try write("file", "a")
    try write("directory/inside", "b")
    try directory("empty")
    for overwrite in ["F", "T"] {
      let fields = ["Overwrite": overwrite]
      await expectFailure(.cannotMoveFile, "MOVE", "file", to: "empty", fields)
      await expectFailure(.cannotMoveFile, "MOVE", "directory", to: "file", fields)
      await expectFailure(.cannotMoveFile, "MOVE", "directory", to: "empty", fields)
      await expectFailure(.cannotMoveFile, "MOVE", "directory", to: "directory/inside/below", fields)
      await expectFailure(.cannotMoveFile, "MOVE", "directory", to: "directory/below", fields)
      await expectFailure(.cannotMoveFile, "MOVE", "file", to: "file", fields)
      await expectFailure(.fileDoesNotExist, "MOVE", "missing", to: "new", fields)
      await expectFailure(.fileDoesNotExist, "MOVE", "file", to: "missing/new", fields)
      await expectFailure(.fileDoesNotExist, "MOVE", "missing/file", to: "new", fields)
    }
    await expectFailure(.cannotMoveFile, request("MOVE", url("file", user: nil), to: url("new", user: nil)))
    #expect(try names() == ["directory", "empty", "file"] && text("file") == "a" && text("directory/inside") == "b")
  }

  @Test func betweenServersNothingIsMoved() async throws {
    try write("file", "a")
    for target in [
      "ftp://localhost:\(server.port)/x", "ftp://127.0.0.1:\(server.port + 1)/x", "ftp://127.0.0.1/x",
      "ftp://other@127.0.0.1:\(server.port)/x",
    ] {
      await expectFailure(.unsupportedURL, request("MOVE", url("file"), to: URL(string: target)))
    }
    for target in ["ftps://127.0.0.1:\(server.port)/x", "http://127.0.0.1/x", "/x", "file:///x"] {
      await expectFailure(.badURL, request("MOVE", url("file"), to: URL(string: target)))
    }
    await expectFailure(.badURL, request("MOVE", url("file")))
    // With no user of its own, the target is that of the source.
    try await carryOut(request("MOVE", url("file"), to: url("moved", user: nil)))
    #expect(try names() == ["moved"])
  }

  // MARK: Servers that lack commands

  @Test func aServerWithoutSizesAndDates() async throws {
    var options = FTPServer.Options()
    options.disabledCommands = ["SIZE", "MDTM"]
    let server = try await FTPServer.start(options: options)
    func url(_ name: String) -> URL { server.url("/\(name)", user: FTPServer.user, password: FTPServer.password) }
    let session = session
    #expect(await code { try await session.moveItem(from: url("small.txt"), to: url("empty.bin")) } == .unsupportedURL)
    #expect(await code { try await session.moveItem(from: url("small.txt"), to: url("new")) } == .unsupportedURL)
    try await session.moveItem(from: url("small.txt"), to: url("empty.bin"), overwriting: true)
    #expect(try Data(contentsOf: server.documentRoot.appendingPathComponent("empty.bin")) == DocumentRoot.small)
    await server.stop()
  }

  @Test func aServerWithoutTheVerbs() async throws {
    var options = FTPServer.Options()
    options.disabledCommands = ["DELE", "MKD", "RNFR"]
    let server = try await FTPServer.start(options: options)
    func url(_ name: String) -> URL { server.url("/\(name)", user: FTPServer.user, password: FTPServer.password) }
    let session = session
    #expect(await code { try await session.removeItem(at: url("small.txt")) } == .unsupportedURL)
    #expect(await code { try await session.createDirectory(at: url("new")) } == .unsupportedURL)
    #expect(await code { try await session.moveItem(from: url("small.txt"), to: url("new")) } == .unsupportedURL)
    #expect(try await session.data(from: server.url()).0 == DocumentRoot.small)
    await server.stop()
  }

  // MARK: The functions of sessions

  @Test func functions() async throws {
    let session = session
    try await session.createDirectory(at: url("a/b c/d"), withIntermediateDirectories: true)
    try await session.createDirectory(at: url("a/b c/d"), withIntermediateDirectories: true)
    try await session.createDirectory(at: url("a/b c"), withIntermediateDirectories: true)
    #expect(await code { try await session.createDirectory(at: url("a/b c")) } == .cannotCreateFile)
    #expect(await code { try await session.createDirectory(at: url("x/y")) } == .fileDoesNotExist)
    try write("file", "a")
    for name in ["file", "file/below"] {
      let code = await code { try await session.createDirectory(at: url(name), withIntermediateDirectories: true) }
      #expect(code == .cannotCreateFile, "\(name)")
    }
    try await session.moveItem(from: url("file"), to: url("a/b c/d/file"))
    #expect(try text("a/b c/d/file") == "a")
    #expect(await code { try await session.removeItem(at: url("a/b c/d")) } == .cannotRemoveFile)
    for name in ["a/b c/d/file", "a/b c/d", "a/b c/", "a"] { try await session.removeItem(at: url(name)) }
    #expect(try names().isEmpty)
  }

  @Test func absolutePaths() async throws {
    let session = session
    let login = "\(FTPServer.user):p%40ss%20word@127.0.0.1:\(server.port)"
    let absolute = try #require(URL(string: "ftp://\(login)/%2F\(folder.lastPathComponent)/new/dir"))
    try await session.createDirectory(at: absolute, withIntermediateDirectories: true)
    try await session.moveItem(from: absolute, to: url("new/other"))
    try await session.moveItem(from: url("new/other"), to: absolute)
    #expect(try names(in: "new") == ["dir"])
    try await session.removeItem(at: absolute)
    #expect(try names(in: "new").isEmpty)
  }

  @Test func manyAtOnceMakeOnePath() async throws {
    let (session, url) = (session, url("a/b/c"))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<16 {
        group.addTask { try await session.createDirectory(at: url, withIntermediateDirectories: true) }
      }
      try await group.waitForAll()
    }
    #expect(try names(in: "a/b") == ["c"])
  }

  // MARK: Logins and the way

  @Test func aLoginIsAskedForBeforeTheChange() async throws {
    var options = FTPServer.Options()
    options.allowsAnonymous = false
    let server = try await FTPServer.start(options: options)
    let credential = URLCredential(user: FTPServer.user, password: FTPServer.password, persistence: .none)
    let client = RecordedSession(LoadRecorder(onChallenge: { _ in (.useCredential, credential) }))
    let record = await client.load(request("DELETE", server.url("/small.txt")))
    #expect(record.error == nil && record.challenges.count == 1 && record.completions == 1)
    #expect(server.log.matches(of: /<- DELE/).count == 1)
    #expect(!FileManager.default.fileExists(atPath: server.documentRoot.appendingPathComponent("small.txt").path))
    await server.stop()
  }

  @Test func serversWithTLS() async throws {
    var options = FTPServer.Options()
    options.requiresTLS = true
    options.requiresResumption = true
    let server = try await FTPServer.start(options: options)
    let configuration = URLSessionConfiguration.ephemeral
    configuration.connectionProxyDictionary = [:]
    configuration.certificateAuthorityFile = try await TestCertificates.shared.authority
    let session = URLSession(configuration: configuration)
    defer { session.invalidateAndCancel() }
    func url(_ name: String) throws -> URL {
      try #require(URL(string: "ftps://\(FTPServer.user):p%40ss%20word@127.0.0.1:\(server.port)/\(name)"))
    }
    try await session.createDirectory(at: url("a/b"), withIntermediateDirectories: true)
    try await session.moveItem(from: url("small.txt"), to: url("a/b/c"))
    try await session.removeItem(at: url("a/b/c"))
    #expect(await code { try await session.removeItem(at: url("a/b/c")) } == .fileDoesNotExist)
    let root = server.documentRoot.appendingPathComponent("a/b")
    #expect(try FileManager.default.contentsOfDirectory(atPath: root.path).isEmpty)
    await server.stop()
  }

  /// FTP goes through a tunnel: the server gets the commands, and a proxy nothing but CONNECT.
  @Test func throughAProxy() async throws {
    let squid = try await SquidServer.authenticating
    let credential = URLCredential(user: SquidServer.user, password: SquidServer.password, persistence: .forSession)
    let client = RecordedSession(LoadRecorder(onChallenge: { _ in (.useCredential, credential) })) {
      $0.connectionProxyDictionary = [kCFNetworkProxiesFTPProxy: "http://127.0.0.1:\(squid.port)"]
    }
    try write("file")
    let record = await client.load(request("DELETE", url("file")))
    #expect(record.error == nil && record.challenges.allSatisfy { $0.protectionSpace.isProxy() }, "\(record)")
    #expect(record.metrics?.transactionMetrics.last?.isProxyConnection == true)
    #expect(try names().isEmpty)
  }

  /// A handle of libcurl's that has changed something loads afterwards, and the other way round.
  @Test func changesAndLoadsTakeTurns() async throws {
    for number in 0..<10 {
      try write("file", "\(number)")
      #expect(try await session.data(from: url("file")).0 == Data("\(number)".utf8))
      try await carryOut("MOVE", "file", to: "moved")
      #expect(try await session.data(from: url("moved")).0 == Data("\(number)".utf8))
      try await carryOut("DELETE", "moved")
      var listed: [String] = []
      for try await entry in session.entries(at: url("")) { listed.append(entry.name) }
      #expect(listed.isEmpty)
      await expectFailure(.fileDoesNotExist, "GET", "moved")
    }
  }

  @Test func metricsAreCollectedOnce() async throws {
    try write("file")
    let record = await RecordedSession().load(request("DELETE", url("file")))
    let transactions = record.metrics?.transactionMetrics ?? []
    #expect(transactions.count == 1 && transactions.first?.networkProtocolName == "ftp")
    #expect(record.error == nil && record.response?.expectedContentLength == 0)
  }
}
