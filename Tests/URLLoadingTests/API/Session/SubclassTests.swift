import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// Subclasses as test suites for Apple's systems have them. That this file compiles is half of what is tested: it sees the library
/// as every other package does.
@Suite(.timeLimit(.minutes(4))) struct SubclassTests {
  typealias Handler = @Sendable (Data?, URLResponse?, (any Error)?) -> Void

  final class MockDataTask: URLSessionDataTask, @unchecked Sendable {
    private var session: URLSession?
    private var data: Data?
    private var handler: Handler?
    private(set) var resumeCount = 0

    override init() {}

    init(_ data: Data, _ handler: @escaping Handler) {
      self.data = data
      self.handler = handler
    }

    override func resume() {
      resumeCount += 1
      handler?(data, URLResponse(), nil)
    }
  }

  final class MockSession: URLSession, @unchecked Sendable {
    private var data: Data
    private var response: URLResponse?
    private var error: (any Error)?
    private var body = "", state = 0, cookies: [HTTPCookie] = [], entries: [String] = [], load = 0
    private(set) var lastURL: URL?

    init() {
      data = Data("default".utf8)
      super.init()
    }

    init(data: Data) {
      self.data = data
      super.init()
    }

    override func dataTask(with url: URL, completionHandler: @escaping Handler) -> URLSessionDataTask {
      lastURL = url
      return MockDataTask(data, completionHandler)
    }

    override func dataTask(with request: URLRequest, completionHandler: @escaping Handler) -> URLSessionDataTask {
      lastURL = request.url
      return MockDataTask(data, completionHandler)
    }
  }

  /// Leaves everything to the session.
  final class NamedSession: URLSession, @unchecked Sendable {
    let name: String
    private var removeItem = 0, createDirectory = "", resource = ""

    func removeItem(at url: URL, delegate: (any URLSessionTaskDelegate)? = nil) async throws {}
    func moveItem(from source: URL, to target: URL, overwriting: Bool = false) async throws -> Bool { overwriting }
    init(name: String) {
      self.name = name
      super.init()
    }
  }

  /// Counts what it is asked for, and leaves the rest to the real session.
  final class CountingSession: URLSession, @unchecked Sendable {
    let count = Watched(0)

    override func dataTask(with request: URLRequest, completionHandler: @escaping Handler) -> URLSessionDataTask {
      count.update { $0 += 1 }
      return super.dataTask(with: request, completionHandler: completionHandler)
    }
    override func downloadTask(
      with request: URLRequest, completionHandler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDownloadTask {
      count.update { $0 += 1 }
      return super.downloadTask(with: request, completionHandler: completionHandler)
    }
    override func uploadTask(
      with request: URLRequest, from bodyData: Data?, completionHandler: @escaping Handler
    ) -> URLSessionUploadTask {
      count.update { $0 += 1 }
      return super.uploadTask(with: request, from: bodyData, completionHandler: completionHandler)
    }
    override func uploadTask(withStreamedRequest request: URLRequest) -> URLSessionUploadTask {
      count.update { $0 += 1 }
      return super.uploadTask(withStreamedRequest: request)
    }
  }

  /// Answers uploads with the body that it was given.
  final class EchoingSession: URLSession, @unchecked Sendable {
    override func uploadTask(
      with request: URLRequest, from bodyData: Data?, completionHandler: @escaping Handler
    ) -> URLSessionUploadTask {
      let body = request.httpBodyStream.map { stream in
        stream.open()
        defer { stream.close() }
        var buffer = [UInt8](repeating: 0, count: 1 << 12)
        let count = stream.read(&buffer, maxLength: buffer.count)
        return Data(buffer.prefix(max(0, count)))
      }
      completionHandler(bodyData ?? body, URLResponse(), nil)
      return MockUploadTask()
    }
  }

  /// As every second test suite has one, with names that are its own.
  /// The compiler wants nothing to be restated.
  final class MockProtocol: URLProtocol {
    static let schemes = ["https"]
    static let acceptedHTTPMethods: Set<String> = ["GET"]
    private var session: URLSession?
    private var sessionClient = 1
    private var capabilities: [String] = []
    private var schemes: [String] = []
    private var data = Data("mocked".utf8), delegate = 0, body = 1, load = 2
    private var isPaused = false

    func pauseLoading() { isPaused = true }
    func resumeLoading() { isPaused = false }

    override class func canInit(with request: URLRequest) -> Bool {
      schemes.contains(request.url?.scheme ?? "") && acceptedHTTPMethods.contains(request.httpMethod ?? "GET")
    }
    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }
    override func startLoading() {
      session = URLSession(configuration: .ephemeral)
      client?.urlProtocol(self, didReceive: URLResponse(), cacheStoragePolicy: .notAllowed)
      client?.urlProtocol(self, didLoad: data)
      client?.urlProtocolDidFinishLoading(self)
    }
    override func stopLoading() {}
  }

  final class MockCookieStorage: HTTPCookieStorage, @unchecked Sendable {
    private var state = 0, store: [HTTPCookie] = []
    override init() { super.init() }
    override var cookies: [HTTPCookie]? { store }
    override func setCookie(_ cookie: HTTPCookie) { store.append(cookie) }
  }
  final class MockCredentialStorage: URLCredentialStorage, @unchecked Sendable {
    private var state = 0
    override init() { super.init() }
  }
  final class MockCache: URLCache, @unchecked Sendable {
    private var responses: [URL: CachedURLResponse] = [:], memory = 0, state = 0
    init() { super.init() }
    override func cachedResponse(for request: URLRequest) -> CachedURLResponse? {
      request.url.flatMap { responses[$0] }
    }
    override func storeCachedResponse(_ cachedResponse: CachedURLResponse, for request: URLRequest) {
      if let url = request.url { responses[url] = cachedResponse }
    }
  }
  final class MockConfiguration: URLSessionConfiguration, @unchecked Sendable {
    private var values = 0
    override init() { super.init() }
  }
  final class MockMetrics: URLSessionTaskMetrics, @unchecked Sendable {
    override init() { super.init() }
    override var redirectCount: Int { 7 }
  }
  final class MockMutableRequest: NSMutableURLRequest {
    private var body = 0
  }
  final class MockHTTPResponse: HTTPURLResponse, @unchecked Sendable {
    struct ReceivedHead {}
    private var fields: [String: String] = [:], details = 0, receivedFields = ReceivedHead()
    override var statusCode: Int { 418 }
  }
  final class MockUploadTask: URLSessionUploadTask, @unchecked Sendable {
    private var hints = 0
    override init() {}
    override var earliestBeginDate: Date? {
      get { .distantFuture }
      set {}
    }
  }
  final class MockDownloadTask: URLSessionDownloadTask, @unchecked Sendable {
    override init() {}
    override func cancel(byProducingResumeData completionHandler: @escaping @Sendable (Data?) -> Void) {
      completionHandler(Data("resume".utf8))
    }
  }

  /// Code under test, which knows nothing of mocks.
  private func fetch(_ url: URL, from session: URLSession) async -> String? {
    await withCheckedContinuation { continuation in
      session.dataTask(with: url) { data, _, _ in
        continuation.resume(returning: data.map { String(decoding: $0, as: UTF8.self) })
      }.resume()
    }
  }

  private let url = URL(stringLiteral: "https://mocked.invalid/path")

  @Test func aMockedSessionAnswersWithItsOwnTasks() async throws {
    let session = MockSession(data: Data("mine".utf8))
    #expect(await fetch(url, from: session) == "mine")
    #expect(session.lastURL == url)
    #expect(await fetch(url, from: MockSession()) == "default")
    let task = session.dataTask(with: URLRequest(url: url)) { _, _, _ in }
    task.resume()
    #expect((task as? MockDataTask)?.resumeCount == 1)
  }

  @Test func asyncFunctionsOfAMockGoByTheMethodsThatItOverrides() async throws {
    let session = MockSession(data: Data("mine".utf8))
    #expect(try await session.data(from: url).0 == Data("mine".utf8))
    #expect(try await session.data(for: URLRequest(url: url)).0 == Data("mine".utf8))
    #expect(session.lastURL == url)
  }

  @Test func aFormGoesByTheMethodThatAMockOverrides() async throws {
    var form = MultipartFormData()
    form.append("Sunset", named: "title")
    let (body, _) = try await EchoingSession().upload(for: URLRequest(url: url), from: form)
    #expect(body.count == Int(form.length) && body.range(of: Data("Sunset".utf8)) != nil)
    // A subclass that calls the session's own method sends the form as the session does: with its length.
    let server = try ScriptedServer.http { HTTPResponse(text: "\($0.method) \($0.fields["Content-Length"] ?? "none")") }
    let session = CountingSession()
    let (answer, _) = try await session.upload(for: URLRequest(url: server.url()), from: form)
    #expect(answer == Data("POST \(form.length)".utf8))
    #expect(session.count.value == 1)
    // As a task for the delegate, too.
    session.uploadTask(with: URLRequest(url: server.url()), from: form).resume()
    #expect(await server.waitForRequests(2, timeout: .seconds(60)))
    #expect(server.requests.last?.fields["Content-Length"] == "\(form.length)")
    #expect(session.count.value == 2)
  }

  @Test func whatASubclassLeavesToTheSessionLoads() async throws {
    let data: URL = "data:,plain"
    #expect(await fetch(data, from: NamedSession(name: "x")) == "plain")
    let session = CountingSession()
    #expect(try await session.data(from: data).0 == Data("plain".utf8))
    let (file, _) = try await session.download(from: data)
    #expect(try Data(contentsOf: file) == Data("plain".utf8))
    try FileManager.default.removeItem(at: file)
    let server = try ScriptedServer.http { HTTPResponse(text: "\($0.method) \($0.body.count)") }
    var request = URLRequest(url: server.url())
    request.httpMethod = "POST"
    #expect(try await session.upload(for: request, from: Data("abc".utf8)).0 == Data("POST 3".utf8))
    #expect(session.count.value == 3)
    await #expect(throws: URLError.self) { try await session.data(from: "http://[::1]:1/") }
  }

  @Test func cancellingStopsALoadOfASubclass() async throws {
    let server = try ScriptedServer { connection in
      _ = try connection.readRequestHead()
      _ = connection.waitForPeerClose(timeout: .seconds(20))
    }
    let session = CountingSession()
    let loading = Task { try await session.data(from: server.url()) }
    #expect(await session.count.wait { $0 == 1 })
    loading.cancel()
    let error = await #expect(throws: URLError.self) { try await loading.value }
    #expect(error?.code == .cancelled)
  }

  @Test func aTaskOfNoSessionStaysSuspended() async throws {
    for task in [URLSessionTask(), MockDataTask(), MockUploadTask(), MockDownloadTask(), URLSessionDownloadTask()] {
      if !(task is MockDataTask) { task.resume() }
      task.suspend()
      task.resume()
      task.cancel()
      task.priority = 1
      task.taskDescription = "mine"
      #expect(task.state == .suspended)
      #expect(task.originalRequest == nil && task.currentRequest == nil && task.response == nil && task.error == nil)
      #expect(task.taskIdentifier == 0 && task.taskDescription == "mine" && task.delegate == nil)
      #expect(task.countOfBytesReceived == 0 && task.countOfBytesSent == 0)
      #expect(task.countOfBytesExpectedToReceive == 0 && task.countOfBytesExpectedToSend == 0)
      #expect(task.progress.completedUnitCount == 0)
      task.progress.cancel()
      #expect(task.state == .suspended)
      #expect(task.copy() as AnyObject === task)
    }
    #expect(await URLSessionDownloadTask().cancelByProducingResumeData() == nil)
    #expect(await MockDownloadTask().cancelByProducingResumeData() == Data("resume".utf8))
    #expect(URLSessionDataTask().taskDescription == nil)
  }

  @Test func aMockedProtocolHasNamesOfItsOwn() async throws {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.protocolClasses = [MockProtocol.self]
    #expect(await fetch(url, from: URLSession(configuration: configuration)) == "mocked")
  }

  @Test func whatElseIsMockedCanBeMade() throws {
    let cookies = MockCookieStorage()
    let cookie = try #require(HTTPCookie(properties: [.name: "a", .value: "b", .domain: "x.org", .path: "/"]))
    cookies.setCookie(cookie)
    #expect(cookies.cookies == [cookie])
    let configuration = MockConfiguration()
    configuration.httpCookieStorage = cookies
    configuration.urlCredentialStorage = MockCredentialStorage()
    #expect(URLSession(configuration: configuration).configuration.httpCookieStorage === cookies)
    #expect(MockMetrics().redirectCount == 7 && MockMetrics().transactionMetrics.isEmpty)
    #expect(MockMutableRequest(url: url).url == url)
    #expect(MockHTTPResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: nil)?.statusCode == 418)
    let cache = MockCache()
    cache.storeCachedResponse(CachedURLResponse(response: URLResponse(), data: Data()), for: URLRequest(url: url))
    #expect(cache.cachedResponse(for: URLRequest(url: url)) != nil && cache.currentMemoryUsage == 0)
  }

  /// Calls of the client have the session, for classes that load bytes from elsewhere.
  @Test func theClientKnowsTheSession() async throws {
    let seen = Watched<[URLSession?]>([])
    let fake = Fake { instance in
      let client = instance.client as? any URLProtocolSessionClient
      seen.update { $0.append(client?.session) }
      instance.respond()
      instance.finish()
    }
    let configuration = URLSessionConfiguration.ephemeral
    configuration.protocolClasses = [FakeProtocol.self]
    let session = URLSession(configuration: configuration)
    _ = try await session.data(from: fake.url())
    #expect(seen.value == [session])
  }
}
