import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoading

/// Archives of real loads.
@Suite(.timeLimit(.minutes(4))) struct HTTPArchiveTests {
  private let folder: TemporaryDirectory
  private let file: URL

  init() throws {
    folder = try TemporaryDirectory("archive")
    file = folder.file("loads.har")
  }

  private func session(
    _ options: HTTPArchiveWriter.Options = .init(), cache: URLCache? = nil
  ) throws -> URLSession {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.urlCache = cache
    configuration.protocolClasses = [FakeProtocol.self]
    configuration.sessionEventListener = try HTTPArchiveWriter(file: file, options: options)
    return URLSession(configuration: configuration)
  }

  private func entries(sourceLocation: SourceLocation = #_sourceLocation) throws -> [[String: Any]] {
    let check = HTTPArchiveCheck(try Data(contentsOf: file))
    #expect(check.problems.isEmpty, sourceLocation: sourceLocation)
    return check.entries
  }

  /// What the file has; nil where it never stood still. Of two entries that come while it is read, the second is written into what was
  /// opened: it has another name by then, and another size when that is done.
  private func settledContents() throws -> Data? {
    for _ in 0..<1_000 {
      let opened = try FileHandle(forReadingFrom: file)
      defer { try? opened.close() }
      var (before, after, named) = (stat(), stat(), stat())
      #expect(fstat(opened.fileDescriptor, &before) == 0)
      let contents = try opened.readToEnd() ?? Data()
      #expect(fstat(opened.fileDescriptor, &after) == 0 && stat(file.path, &named) == 0)
      if after.st_ino == named.st_ino, after.st_size == before.st_size { return contents }
    }
    return nil
  }

  private func member<Value>(_ entry: [String: Any], _ path: String) throws -> Value {
    var value: Any? = entry
    for name in path.split(separator: ".") { value = (value as? [String: Any])?[String(name)] }
    return try #require(value as? Value, "\(path)")
  }

  private func pairs(_ entry: [String: Any], _ path: String) throws -> [String: String] {
    let list: [[String: Any]] = try member(entry, path)
    return Dictionary(list.map { ($0["name"] as? String ?? "", $0["value"] as? String ?? "") }) { $1 }
  }

  /// HAR 1.2 has URLs without them, and they may be tokens.
  @Test(arguments: [false, true]) func noURLHasAFragment(includesSecrets: Bool) async throws {
    let server = try ScriptedServer.http { request in
      guard request.path == "/login" else { return HTTPResponse(text: "hello") }
      return HTTPResponse.redirect(to: "/done#access_token=hunter2")
    }
    var options = HTTPArchiveWriter.Options()
    options.includesSecrets = includesSecrets
    let session = try session(options)
    let url = try #require(URL(string: "\(server.url("/login"))#hunter1"))
    _ = try await session.data(from: url)
    session.finishTasksAndInvalidate()
    let entries = try entries()
    #expect(entries.count == 2)
    for entry in entries {
      #expect(!(try member(entry, "request.url") as String).contains("#"))
      #expect(!(try member(entry, "response.redirectURL") as String).contains("#"))
    }
    #expect(try member(entries[0], "response.redirectURL") as String == "/done")
    let text = try String(contentsOf: file, encoding: .utf8)
    // Of a response as it came, the field is a part.
    #expect(text.contains("hunter2") == includesSecrets && !text.contains("hunter1"))
  }

  @Test func anEmptyArchiveIsWhole() throws {
    let writer = try HTTPArchiveWriter(file: file)
    #expect(try entries().isEmpty)
    #expect(writer.error == nil)
    #expect(try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int == 0o600)
  }

  /// It might be another one's, and readable by all.
  @Test func whatHasTheHiddenNameIsNotTakenOver() throws {
    try folder.write(".loads.har.next", "other")
    #expect(chmod(folder.file(".loads.har.next").path, 0o644) == 0)
    #expect(link(folder.file(".loads.har.next").path, folder.file("other").path) == 0)
    let writer = try HTTPArchiveWriter(file: file)
    #expect(try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int == 0o600)
    #expect(try String(contentsOf: folder.file("other"), encoding: .utf8) == "other")
    writer.close()
  }

  /// The session of an archive may be released after the next archive has begun in its place.
  @Test func theNextArchiveTakesItsPlace() async throws {
    let fake = Fake(["x"])
    var writer: HTTPArchiveWriter? = try HTTPArchiveWriter(file: file)
    let configuration = URLSessionConfiguration.ephemeral
    configuration.protocolClasses = [FakeProtocol.self]
    configuration.sessionEventListener = writer
    let first = URLSession(configuration: configuration)
    _ = try await first.data(from: fake.url())
    let second = try session()
    _ = try await first.data(from: fake.url())
    #expect(writer?.error?.description.contains("another archive has taken its place") == true)
    #expect(try entries().isEmpty)
    writer?.close()
    writer = nil
    for count in 1...2 {
      _ = try await second.data(from: fake.url())
      #expect(try entries().count == count)
    }
  }

  @Test func redirectsAndTheirTarget() async throws {
    let server = try await NginxServer.shared
    let session = try session()
    _ = try await session.data(from: server.url("/redirect/302?to=/small.txt"))
    let entries = try entries()
    #expect(try entries.map { try member($0, "response.status") as Int } == [302, 200])
    #expect((try member(entries[0], "response.redirectURL") as String).hasSuffix("/small.txt"))
    #expect(try pairs(entries[0], "request.queryString") == ["to": "/small.txt"])
    let last = entries[1]
    #expect(try member(last, "request.url") as String == server.url().absoluteString)
    #expect(try member(last, "request.method") as String == "GET")
    #expect(try member(last, "request.httpVersion") as String == "HTTP/1.1")
    #expect(!(try member(last, "response.statusText") as String).isEmpty)
    #expect(try member(last, "response.content.size") as Int == 1024)
    #expect(try member(last, "response.content.mimeType") as String == "text/plain")
    #expect(try pairs(last, "response.headers")["Content-Length"] == "1024")
    #expect(try member(last, "serverIPAddress") as String == "127.0.0.1")
    #expect(try member(entries[0], "timings.connect") as Double >= 0)
    #expect(try member(entries[0], "timings.ssl") as Double == -1)
  }

  @Test func encryptedConnections() async throws {
    let server = try await NginxServer.shared
    let configuration = URLSessionConfiguration.ephemeral
    configuration.certificateAuthorityFile = try await TestCertificates.shared.authority
    configuration.sessionEventListener = try HTTPArchiveWriter(file: file)
    _ = try await URLSession(configuration: configuration).data(from: server.url(on: .https))
    let entry = try #require(try entries().first)
    let (ssl, connect): (Double, Double) = (try member(entry, "timings.ssl"), try member(entry, "timings.connect"))
    #expect(ssl > 0 && ssl <= connect)
  }

  @Test func secretsAreLeftOutUnlessTheyAreWanted() async throws {
    let server = try ScriptedServer.http { _ in
      HTTPResponse(fields: ["Set-Cookie": "id=hunter5; Path=/; HttpOnly", "X-Seen": "http://a:hunter6@b/"], text: "x")
    }
    var parts = URLComponents(url: server.url("/a"), resolvingAgainstBaseURL: false)
    parts?.user = "me"
    parts?.password = "hunter1"
    var request = URLRequest(url: try #require(parts?.url))
    request.setValue("Basic hunter2", forHTTPHeaderField: "Authorization")
    request.setValue("session=hunter3", forHTTPHeaderField: "Cookie")
    request.setValue("hunter4", forHTTPHeaderField: "X-Api-Key")
    for includesSecrets in [false, true] {
      var options = HTTPArchiveWriter.Options()
      options.includesSecrets = includesSecrets
      _ = try await session(options).data(for: request)
      let text = try String(contentsOf: file, encoding: .utf8)
      for number in 1...6 { #expect(text.contains("hunter\(number)") == includesSecrets, "\(number) \(text)") }
      let entry = try #require(try entries().first)
      #expect(try pairs(entry, "request.cookies") == ["session": includesSecrets ? "hunter3" : "***"])
      #expect(try pairs(entry, "response.cookies") == ["id": includesSecrets ? "hunter5" : "***"])
      if !includesSecrets {
        #expect(text.contains("me:***@") && text.contains("Basic ***"), "\(text)")
      }
    }
  }

  @Test func bodies() async throws {
    let server = try ScriptedServer.http { request in
      request.target == "/text"
        ? HTTPResponse(text: "Grüße, \"you\"\n") : HTTPResponse(body: Data([0xFF, 0, 1, 2, 3, 4, 5, 6, 7, 8]))
    }
    var options = HTTPArchiveWriter.Options()
    options.maximumBodyLength = 20
    let session = try session(options)
    var post = URLRequest(url: server.url("/text"))
    post.httpMethod = "POST"
    post.httpBody = Data("name=value".utf8)
    post.setValue("application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
    _ = try await session.data(for: post)
    _ = try await session.data(from: server.url("/bytes"))
    let fake = Fake([String(repeating: "x", count: 15), String(repeating: "y", count: 15)])
    _ = try await session.data(from: fake.url())
    let entries = try entries()
    #expect(try member(entries[0], "request.postData.text") as String == "name=value")
    #expect(try member(entries[0], "request.bodySize") as Int == 10)
    #expect(try member(entries[0], "response.content.text") as String == "Grüße, \"you\"\n")
    #expect(try member(entries[1], "response.content.encoding") as String == "base64")
    #expect(try member(entries[1], "response.content.text") as String == "/wABAgMEBQYHCA==")
    #expect((try member(entries[2], "response.content.text") as String).count == 20)
    #expect((try member(entries[2], "response.content.comment") as String).contains("30 bytes"))
  }

  @Test func theCache() async throws {
    let server = try ScriptedServer.http { request in
      let freshness = request.target == "/fresh" ? "max-age=60" : "no-cache"
      return request.fields["If-None-Match"] == nil
        ? HTTPResponse(fields: ["ETag": "\"v\"", "Cache-Control": freshness], text: "body") : HTTPResponse(304)
    }
    let session = try session(cache: URLCache(memoryCapacity: 1_000_000, diskCapacity: 0))
    for path in ["/fresh", "/fresh", "/stale", "/stale"] { _ = try await session.data(from: server.url(path)) }
    let entries = try entries()
    #expect(try entries.map { try member($0, "response.status") as Int } == [200, 200, 200, 304, 200])
    #expect(try member(entries[1], "comment") as String == "From the cache: it is fresh.")
    #expect((try member(entries[4], "comment") as String).contains("server says"))
    #expect(try member(entries[1], "response.bodySize") as Int == 0)
    #expect(try member(entries[1], "response.content.size") as Int == 4)
    #expect(entries[1]["serverIPAddress"] == nil && entries[0]["comment"] == nil)
  }

  @Test func failuresAndCancellations() async throws {
    let session = try session()
    let port = try FreePort.pick()
    _ = try? await session.data(from: try #require(URL(string: "http://127.0.0.1:\(port)/x")))
    let fake = Fake { $0.respond() }
    let task = session.dataTask(with: fake.url())
    task.resume()
    #expect(try await eventually { task.response != nil })
    task.cancel()
    // A task's state is `completed` before its listener hears of it.
    try #require(try await eventually { try self.entries().count == 2 })
    let entries = try entries()
    #expect(try entries.map { try member($0, "response.status") as Int } == [0, 200])
    #expect((try member(entries[0], "comment") as String).contains("127.0.0.1"))
    #expect(try member(entries[1], "comment") as String == "The task was cancelled.")
  }

  @Test func manyLoadsAtOnce() async throws {
    let session = try session()
    let fake = Fake(["x"])
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<500 { group.addTask { _ = try await session.data(from: fake.url()) } }
      // Whoever looks meanwhile finds a whole file.
      for _ in 0..<20 { #expect(HTTPArchiveCheck(try #require(try settledContents())).problems.isEmpty) }
      try await group.waitForAll()
    }
    #expect(try entries().count == 500)
  }

  @Test func nothingIsLeftBesideIt() async throws {
    let writer = try HTTPArchiveWriter(file: file)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 2)
    writer.close()
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["loads.har"])
    #expect(try entries().isEmpty)
  }

  @Test func whatCannotBeWritten() throws {
    for path in ["/no/such/folder/x.har", "/dev/null", folder.path] {
      #expect(throws: HTTPArchiveError.self, "\(path)") {
        try HTTPArchiveWriter(file: URL(fileURLWithPath: path))
      }
    }
  }

  /// A reader that others wrote.
  @Test func haralyzerReadsIt() async throws {
    let server = try await NginxServer.shared
    let session = try session()
    for path in ["/redirect/302?to=/small.txt", "/status/404"] { _ = try await session.data(from: server.url(path)) }
    let script = """
      import json, sys
      from haralyzer import HarParser
      with open(sys.argv[1]) as file: parser = HarParser(json.load(file))
      entries = [entry for page in parser.pages for entry in page.entries]
      for entry in sorted(entries, key=lambda entry: entry.startTime):
        print(entry.request.method, entry.response.status, entry.response.mimeType, entry.time >= 0, entry.request.url)
      print(parser.version, parser.creator["name"])
      """
    let outcome = try await Command.run(try PackageFolder.python, ["-c", script, file.path])
    #expect(outcome.status == .exited(0), "\(outcome.error)")
    let lines = outcome.text.split(separator: "\n")
    #expect(lines.count == 4 && lines.last?.hasPrefix("1.2 URLLoading") == true, "\(outcome.text)")
    #expect(lines.first?.hasPrefix("GET 302") == true)
    #expect(lines.contains("GET 200 text/plain True \(server.url().absoluteString)"), "\(outcome.text)")
  }
}
