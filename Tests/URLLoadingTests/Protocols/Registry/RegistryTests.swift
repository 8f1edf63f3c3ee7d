import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// Registration is global, hence one test at a time, each with a scheme of its own.
@Suite(.serialized, .timeLimit(.minutes(4))) struct RegistryTests {
  /// Answers with its class's name.
  class Naming: URLProtocol, @unchecked Sendable {
    override func startLoading() {
      guard let url = request.url else { return }
      client?.urlProtocol(
        self,
        didReceive: URLResponse(url: url, mimeType: nil, expectedContentLength: -1, textEncodingName: nil),
        cacheStoragePolicy: .notAllowed)
      client?.urlProtocol(self, didLoad: Data("\(type(of: self))".utf8))
      client?.urlProtocolDidFinishLoading(self)
    }
  }
  final class First: Naming, @unchecked Sendable {
    override class func canInit(with request: URLRequest) -> Bool { request.url?.scheme == "registry" }
  }
  final class Second: Naming, @unchecked Sendable {
    override class func canInit(with request: URLRequest) -> Bool { request.url?.scheme == "registry" }
  }
  final class OverHTTP: Naming, @unchecked Sendable {
    override class func canInit(with request: URLRequest) -> Bool {
      request.url?.host() == "registry.invalid"
    }
  }
  /// Says yes to tasks, and no to requests.
  final class ByTask: Naming, @unchecked Sendable {
    override class func canInit(with request: URLRequest) -> Bool { false }
    override class func canInit(with task: URLSessionTask) -> Bool {
      task.currentRequest?.url?.scheme == "bytask" && task.taskDescription == "mine"
    }
    required init(task: URLSessionTask, cachedResponse: CachedURLResponse?, client: (any URLProtocolClient)?) {
      super.init(
        request: task.currentRequest ?? URLRequest(url: URL(fileURLWithPath: "/")), cachedResponse: cachedResponse,
        client: client)
      self.task = task
      isByTask = true
    }
    required init(request: URLRequest, cachedResponse: CachedURLResponse?, client: (any URLProtocolClient)?) {
      super.init(request: request, cachedResponse: cachedResponse, client: client)
    }
    private var isByTask = false
    override func startLoading() {
      if isByTask { return super.startLoading() }
      client?.urlProtocol(self, didFailWithError: URLError(.unknown))
    }
  }
  /// Loads `FROM` as `to`.
  final class Canonical: Naming, @unchecked Sendable {
    override class func canInit(with request: URLRequest) -> Bool { request.url?.scheme == "canonical" }
    override class func canonicalRequest(for request: URLRequest) -> URLRequest {
      var request = request
      request.url = URL(string: "canonical://to/")
      request.setValue("yes", forHTTPHeaderField: "X-Canonical")
      return request
    }
    override func startLoading() {
      guard request.value(forHTTPHeaderField: "X-Canonical") == "yes", request.url?.host() == "to" else {
        client?.urlProtocol(self, didFailWithError: URLError(.unknown))
        return
      }
      super.startLoading()
    }
  }

  private let url: URL = "registry://x/"

  @Test func registeredClassesReachSessionsThatExistAlreadyTheNewestFirst() async {
    let one = RecordedSession()
    #expect(await one.load(url).code == .unsupportedURL)
    #expect(URLProtocol.registerClass(First.self))
    defer { URLProtocol.unregisterClass(First.self) }
    #expect(await one.load(url).text == "First")
    #expect(await RecordedSession().load(url).text == "First")
    let shared = try? await URLSession.shared.data(from: url)
    #expect(shared?.0 == Data("First".utf8))
    #expect(URLProtocol.registerClass(Second.self))
    #expect(await one.load(url).text == "Second")
    URLProtocol.unregisterClass(Second.self)
    #expect(await one.load(url).text == "First")
  }

  @Test func unregisteringUndoesRegistering() async {
    URLProtocol.registerClass(Second.self)
    URLProtocol.unregisterClass(Second.self)
    URLProtocol.unregisterClass(Second.self)
    #expect(await RecordedSession().load(url).code == .unsupportedURL)
    #expect(!URLProtocol.registerClass(NSObject.self))
  }

  @Test func classesOfTheConfigurationGoFirstInTheirOrder() async {
    URLProtocol.registerClass(Second.self)
    defer { URLProtocol.unregisterClass(Second.self) }
    let first = RecordedSession { $0.protocolClasses = [First.self, Second.self] }
    #expect(await first.load(url).text == "First")
    #expect(await RecordedSession().load(url).text == "Second")
  }

  @Test func classesGoBeforeTheBuiltInOnes() async {
    let session = RecordedSession { $0.protocolClasses = [OverHTTP.self] }
    #expect(await session.load("http://registry.invalid/" as URL).text == "OverHTTP")
  }

  @Test func canInitAndInitWithATaskArePreferred() async {
    let session = RecordedSession { $0.protocolClasses = [ByTask.self] }
    let mine = session.session.dataTask(with: "bytask://x/")
    mine.taskDescription = "mine"
    #expect(await session.run(mine).text == "ByTask")
    #expect(await session.load("bytask://x/" as URL).code == .unsupportedURL)
  }

  @Test func theCanonicalRequestIsLoaded() async {
    let session = RecordedSession { $0.protocolClasses = [Canonical.self] }
    let task = session.session.dataTask(with: "canonical://from/")
    #expect(await session.run(task).text == "Canonical")
    #expect(task.currentRequest?.url?.host() == "to")
    #expect(task.originalRequest?.url?.host() == "from")
  }

  @Test func anUnknownSchemeIsNamedWithThoseThereAre() async {
    let record = await RecordedSession().load("gopher://example.org/1" as URL)
    #expect(record.code == .unsupportedURL)
    let text = record.error?.localizedDescription ?? ""
    for word in ["gopher", "http", "https", "ftp", "file", "data"] { #expect(text.contains(word), "\(text)") }
    #expect((record.error as? URLError)?.failingURL?.scheme == "gopher")
    #expect(record.completions == 1)
  }
}
