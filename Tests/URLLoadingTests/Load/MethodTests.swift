import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// Methods that a class does not carry out, and bodies that a method does not take: refused before anything is touched.
@Suite(.timeLimit(.minutes(4))) struct MethodTests {
  private let folder: TemporaryDirectory

  init() throws {
    folder = try TemporaryDirectory("methods")
  }

  private func request(_ url: URL, _ method: String? = nil, body: Data? = nil) -> URLRequest {
    var request = URLRequest(url: url)
    if let method { request.httpMethod = method }
    request.httpBody = body
    return request
  }

  /// What was wrong is told: the method, and what would be right.
  private func expectRefusal(_ record: LoadRecord, _ words: String..., at location: SourceLocation = #_sourceLocation) {
    #expect(record.code == .unsupportedURL && record.completions == 1, "\(record)", sourceLocation: location)
    #expect(record.body.isEmpty && record.response == nil, sourceLocation: location)
    let message = record.error?.localizedDescription ?? ""
    for word in words { #expect(message.contains(word), "\(message)", sourceLocation: location) }
    #expect((record.error as? URLError)?.failingURL != nil, sourceLocation: location)
  }

  // MARK: Files

  @Test(arguments: ["POST", "PATCH", "LOCK", "OPTIONS", "BREW"], TaskKind.allCases)
  func filesKnowNoOtherMethods(_ method: String, _ kind: TaskKind) async throws {
    let file = try folder.write("kept", "old")
    for body in [nil, Data("x=1".utf8)] {
      let record = await RecordedSession().load(request(file, method, body: body), by: kind)
      expectRefusal(record, "\"file\"", "GET, HEAD, PUT, DELETE, MKCOL, MOVE and COPY", method)
      #expect(try String(contentsOf: file, encoding: .utf8) == "old")
    }
  }

  @Test(arguments: ["GET", "HEAD"], TaskKind.allCases)
  func aReadingMethodWithABodyTouchesNoFile(_ method: String, _ kind: TaskKind) async throws {
    let file = try folder.write("kept", "old")
    for body in [Data(), Data("x=1".utf8)] {
      expectRefusal(await RecordedSession().load(request(file, method, body: body), by: kind), method, "body", "PUT")
      #expect(try String(contentsOf: file, encoding: .utf8) == "old")
    }
  }

  @Test(arguments: ["DELETE", "MKCOL", "MOVE", "COPY"], TaskKind.allCases)
  func aChangingMethodWithABodyTouchesNoFile(_ method: String, _ kind: TaskKind) async throws {
    let file = try folder.write("kept", "old")
    var request = request(file, method, body: Data("x=1".utf8))
    request.setValue(folder.file("other").absoluteString, forHTTPHeaderField: "Destination")
    expectRefusal(await RecordedSession().load(request, by: kind), method, "body", "PUT")
    #expect(try String(contentsOf: file, encoding: .utf8) == "old")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["kept"])
  }

  @Test(arguments: ["GET", "HEAD", "POST", "DELETE"], UploadKind.allCases)
  func uploadsByAMethodOfTheirOwnStoreByPutOnly(_ method: String, _ kind: UploadKind) async throws {
    let file = try folder.write("kept", "old")
    expectRefusal(try await RecordedSession().upload(Data("new".utf8), to: request(file, method), by: kind), method)
    #expect(try String(contentsOf: file, encoding: .utf8) == "old")
    let stored = try await RecordedSession().upload(Data("new".utf8), to: request(file, "put"), by: kind)
    #expect(stored.error == nil)
    #expect(try String(contentsOf: file, encoding: .utf8) == "new")
  }

  @Test(arguments: UploadKind.allCases)
  func anUploadWithoutAMethodIsAPut(_ kind: UploadKind) async throws {
    let file = folder.file("new")
    let session = RecordedSession()
    for method in [nil, ""] {
      let record = try await session.upload(Data("new".utf8), to: request(file, method), by: kind)
      #expect(record.error == nil, "\(record)")
      #expect(try String(contentsOf: file, encoding: .utf8) == "new")
      try FileManager.default.removeItem(at: file)
    }
  }

  @Test func theCurrentRequestShowsTheMethod() async throws {
    let session = RecordedSession()
    let task = session.session.uploadTask(with: request(folder.file("a")), from: Data("new".utf8))
    _ = await session.run(task)
    #expect(task.originalRequest?.httpMethod == "GET")
    #expect(task.currentRequest?.httpMethod == "PUT")
  }

  @Test func aDataTaskWithPutStoresItsBody() async throws {
    let file = folder.file("new")
    let record = await RecordedSession().load(request(file, "PUT", body: Data("new".utf8)))
    #expect(record.error == nil)
    #expect(try String(contentsOf: file, encoding: .utf8) == "new")
  }

  @Test(arguments: TaskKind.allCases) func aPutWithoutABodyTouchesNothing(_ kind: TaskKind) async throws {
    let file = try folder.write("kept", "old")
    expectRefusal(await RecordedSession().load(request(file, "PUT"), by: kind), "PUT", "body")
    #expect(try String(contentsOf: file, encoding: .utf8) == "old")
  }

  @Test func anUploadOfNothingTouchesNothing() async throws {
    let file = try folder.write("kept", "old")
    let result = Watched<(any Error)?>(nil)
    let session = RecordedSession()
    session.session.uploadTask(with: request(file), from: nil) { _, _, error in result.update { $0 = error } }.resume()
    #expect(await result.wait { $0 != nil })
    #expect((result.value as? URLError)?.code == .unsupportedURL)
    #expect(try String(contentsOf: file, encoding: .utf8) == "old")
  }

  @Test func aListingIsAskedForByGet() async throws {
    try folder.write("a", "")
    await #expect(throws: URLError.self) {
      for try await _ in URLSession.shared.entries(at: request(folder.url, "PUT")) {}
    }
    var names: [String] = []
    for try await entry in URLSession.shared.entries(at: request(folder.url, "GET")) { names.append(entry.name) }
    #expect(names == ["a"])
  }

  // MARK: Other schemes

  @Test(arguments: ["POST", "DELETE", "MKCOL", "MOVE", "PATCH", "GET", "HEAD"])
  func anFTPServersFilesAreKept(_ method: String) async throws {
    let server = try await FTPServer.start()
    let file = server.documentRoot.appendingPathComponent("kept.txt")
    try Data("old".utf8).write(to: file)
    let url = server.url("/kept.txt", user: FTPServer.user, password: FTPServer.password)
    let session = RecordedSession()
    expectRefusal(await session.load(request(url, method, body: Data("x=1".utf8))), method, "PUT")
    for kind in UploadKind.allCases {
      expectRefusal(try await session.upload(Data("x=1".utf8), to: request(url, method), by: kind), method, "PUT")
    }
    if method == "POST" || method == "PATCH" {
      let methods = "GET, HEAD, PUT, DELETE, MKCOL and MOVE"
      expectRefusal(await session.load(request(url, method)), "\"ftp\"", methods, method)
    }
    #expect(try String(contentsOf: file, encoding: .utf8) == "old")
    await server.stop()
  }

  @Test(arguments: ["POST", "PUT", "DELETE"]) func dataURLsAreRead(_ method: String) async throws {
    let url = URL(stringLiteral: "data:,x")
    expectRefusal(await RecordedSession().load(request(url, method)), "\"data\"", "GET and HEAD", method)
    for kind in UploadKind.allCases {
      expectRefusal(try await RecordedSession().upload(Data("y".utf8), to: request(url), by: kind), "\"data\"")
    }
  }

  // MARK: HEAD with a body

  @Test(arguments: TaskKind.allCases) func aHeadWithABodyIsNotSent(_ kind: TaskKind) async throws {
    let server = try ScriptedServer.http { HTTPResponse(text: $0.method) }
    let session = RecordedSession()
    expectRefusal(
      await session.load(request(server.url("/a"), "head", body: Data("x=1".utf8)), by: kind), "HEAD", "body")
    var streamed = request(server.url("/b"), "HEAD")
    streamed.httpBodyStream = InputStream(data: Data("x=1".utf8))
    expectRefusal(await session.load(streamed, by: kind), "HEAD", "body")
    #expect(await session.load(server.url("/good")).text == "GET")
    #expect(server.requests.map(\.path) == ["/good"])
  }

  @Test(arguments: UploadKind.allCases) func anUploadByHeadIsNotSent(_ kind: UploadKind) async throws {
    let server = try ScriptedServer.http { HTTPResponse(text: $0.method) }
    let session = RecordedSession()
    expectRefusal(try await session.upload(Data("x".utf8), to: request(server.url("/a"), "HEAD"), by: kind), "HEAD")
    #expect(await session.load(server.url("/good")).text == "GET")
    #expect(server.requests.map(\.path) == ["/good"])
  }

  @Test func aHeadWithABodyDoesNotReachAClassOfOnesOwn() async {
    let fake = Fake(["x"])
    expectRefusal(await RecordedSession.fake().load(request(fake.url(), "HEAD", body: Data("x".utf8))), "HEAD")
    #expect(fake.seen.value.requests.isEmpty)
  }

  @Test func aHeadWithNothingForABodyIsSent() async throws {
    let server = try ScriptedServer.http { HTTPResponse(text: "\($0.method) \($0.body.count)") }
    let record = await RecordedSession().load(request(server.url(), "HEAD", body: Data()))
    #expect(record.status == 200 && record.error == nil)
    #expect(server.requests.map(\.method) == ["HEAD"])
  }

  @Test func aRedirectThatLeadsAHeadWithABodyOnIsRefused() async throws {
    let server = try ScriptedServer.http { request in
      request.path == "/start" ? .redirect(307, to: "/end") : HTTPResponse(text: request.method)
    }
    let client = RecordedSession(
      LoadRecorder(onRedirect: { _, request in
        var request = request
        request.httpMethod = "HEAD"
        return request
      }))
    let record = await client.load(request(server.url("/start"), "POST", body: Data("x".utf8)))
    #expect(record.code == .unsupportedURL)
    #expect(server.requests.map(\.path) == ["/start"])
  }

  // MARK: Classes of one's own

  @Test(arguments: ["GET", "POST", "DELETE", "BREW"]) func aClassThatSaysNothingGetsEveryMethod(_ method: String) async
  {
    let fake = Fake { instance in
      instance.respond()
      instance.send(Data((instance.request.httpMethod ?? "none").utf8))
      instance.finish()
    }
    let record = await RecordedSession.fake().load(request(fake.url(), method, body: Data("x".utf8)))
    #expect(record.text == method)
  }

  /// Declares the methods that it takes.
  private class Choosy: FakeProtocol, @unchecked Sendable {
    class var methods: Capabilities { .acceptedHTTPMethods("GET", "POST", "BREW") }
    override class var capabilities: Capabilities { super.capabilities.union(methods) }
  }

  private final class Storing: Choosy, @unchecked Sendable {
    override class var methods: Capabilities { .acceptedHTTPMethods("PUT") }
  }

  private static func echoing() -> Fake {
    Fake { instance in
      instance.respond()
      instance.send(Data("\(instance.request.httpMethod ?? "-") \(instance.readBody()?.count ?? -1)".utf8))
      instance.finish()
    }
  }

  @Test func aClassGetsTheMethodsThatItDeclares() async {
    let fake = Self.echoing()
    let session = RecordedSession { $0.protocolClasses = [Choosy.self] }
    let body = Data("x=1".utf8)
    #expect(await session.load(request(fake.url(), "GET")).text == "GET -1")
    #expect(await session.load(request(fake.url(), "POST", body: body)).text == "POST 3")
    #expect(await session.load(request(fake.url(), "BREW", body: body)).text == "BREW 3")
    #expect(await session.load(request(fake.url(), "POST")).text == "POST -1")
    let count = fake.seen.value.requests.count
    expectRefusal(await session.load(request(fake.url(), "PUT", body: body)), "GET, POST and BREW, not PUT")
    expectRefusal(await session.load(request(fake.url(), "brew")), "not brew")
    expectRefusal(await session.load(request(fake.url(), "GET", body: body)), "GET takes no body", "POST and BREW")
    #expect(fake.seen.value.requests.count == count)
  }

  @Test(arguments: UploadKind.allCases) func anUploadIsAPutOnlyWhereThatStores(_ kind: UploadKind) async throws {
    let fake = Self.echoing()
    let body = Data("new".utf8)
    let storing = RecordedSession { $0.protocolClasses = [Storing.self] }
    #expect(try await storing.upload(body, to: request(fake.url()), by: kind).text == "PUT 3")
    #expect(try await RecordedSession.fake().upload(body, to: request(fake.url()), by: kind).text == "GET 3")
    let choosy = RecordedSession { $0.protocolClasses = [Choosy.self] }
    expectRefusal(try await choosy.upload(body, to: request(fake.url()), by: kind), "GET takes no body")
    // Where it would read, it is told so.
    expectRefusal(await storing.load(request(fake.url())), "carries out PUT, not GET")
  }

  @Test func aRedirectThatLeadsToAnotherMethodsClassIsRefused() async {
    let target = Self.echoing()
    let fake = Fake { instance in
      var next = instance.request
      next.url = target.url()
      next.httpMethod = "DELETE"
      instance.client?.urlProtocol(instance, wasRedirectedTo: next, redirectResponse: instance.response(length: 0))
    }
    let record = await RecordedSession { $0.protocolClasses = [Choosy.self] }.load(request(fake.url(), "GET"))
    #expect(record.code == .unsupportedURL)
    #expect((record.error as? URLError)?.failingURL == target.url())
    #expect(target.seen.value.requests.isEmpty)
  }

  @Test func methodsAreRememberedThroughArchives() throws {
    for method in [nil, "GET", "PUT"] {
      let request = request(folder.file("a"), method) as NSURLRequest
      let data = try NSKeyedArchiver.archivedData(withRootObject: request, requiringSecureCoding: true)
      let copy = try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: NSURLRequest.self, from: data))
      #expect(copy == request && copy.httpMethod == method ?? "GET")
    }
  }
}
