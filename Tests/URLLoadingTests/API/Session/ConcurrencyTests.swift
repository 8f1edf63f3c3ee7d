import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// Code in Swift 6 mode as it is written for Apple's systems. That this file compiles, without a warning, is half of what is tested.
@Suite(.timeLimit(.minutes(4))) struct ConcurrencyTests {
  /// A mock says nothing about concurrency.
  final class PlainMock: URLProtocol {
    private var hasStarted = false

    override class func canInit(with request: URLRequest) -> Bool { request.url?.scheme == "plain" }
    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }
    override func startLoading() {
      hasStarted = true
      guard let url = request.url else { return }
      client?.urlProtocol(
        self,
        didReceive: URLResponse(url: url, mimeType: nil, expectedContentLength: -1, textEncodingName: nil),
        cacheStoragePolicy: .notAllowed)
      client?.urlProtocol(self, didLoad: Data("plain".utf8))
      client?.urlProtocolDidFinishLoading(self)
    }
    override func stopLoading() { hasStarted = false }
  }

  /// One that uses itself from a task.
  final class SharedMock: URLProtocol, @unchecked Sendable {
    override class func canInit(with request: URLRequest) -> Bool { request.url?.scheme == "shared" }
    override func startLoading() {
      Task {
        await Task.yield()
        client?.urlProtocol(self, didReceive: URLResponse(), cacheStoragePolicy: .notAllowed)
        client?.urlProtocolDidFinishLoading(self)
      }
    }
    override func stopLoading() {}
  }

  /// Isolated to the main actor as a whole.
  @MainActor final class ViewModel: NSObject, URLSessionDataDelegate {
    nonisolated let text = Watched("")
    private(set) var redirects = 0
    private(set) var pieces = 0

    func urlSession(
      _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
      newRequest request: URLRequest
    ) async -> URLRequest? {
      redirects += 1
      return request
    }
    func urlSession(
      _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse
    ) async -> URLSession.ResponseDisposition {
      text.update { $0 += "\(response.mimeType ?? "-") " }
      return .allow
    }
    nonisolated func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
      Task { @MainActor in
        pieces += 1
        text.update { $0 += String(decoding: data, as: UTF8.self) }
      }
    }
  }

  /// On the main actor, with nothing that is asked.
  @MainActor final class Silent: NSObject, URLSessionTaskDelegate {
    private(set) var count = 0
  }

  actor Store {
    private(set) var loaded: [String: Int] = [:]

    /// The handler of a task comes back to the actor.
    func load(_ url: URL, from session: URLSession) async {
      let (data, _): (Data?, URLResponse?) = await withCheckedContinuation { continuation in
        session.dataTask(with: url) { data, response, _ in continuation.resume(returning: (data, response)) }.resume()
      }
      loaded[url.absoluteString] = data?.count
    }
  }

  private func session(_ delegate: (any URLSessionDelegate)? = nil) -> URLSession {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.protocolClasses = [PlainMock.self, SharedMock.self]
    configuration.connectionProxyDictionary = [:]
    return URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
  }

  @Test func mocksLoad() async throws {
    let session = session()
    #expect(try await session.data(from: "plain:x").0 == Data("plain".utf8))
    #expect(try await session.data(from: "shared:x").0.isEmpty)
  }

  /// A page behind a redirect.
  private func server() throws -> ScriptedServer {
    try .http {
      $0.path == "/end"
        ? HTTPResponse(fields: ["Content-Type": "text/plain"], body: Data("body".utf8)) : .redirect(to: "/end")
    }
  }

  @Test @MainActor func whatADelegateOfATaskLacksIsTheSessions() async throws {
    let server = try server()
    let model = ViewModel()
    let session = session(model)
    #expect(try await session.data(from: server.url("/"), delegate: Silent()).0 == Data("body".utf8))
    #expect(model.redirects == 1)
    session.invalidateAndCancel()
  }

  @Test @MainActor func aDelegateOnTheMainActorIsAskedThere() async throws {
    let server = try server()
    let model = ViewModel()
    let session = session(model)
    session.dataTask(with: server.url("/")).resume()
    #expect(await model.text.wait { $0 == "text/plain body" })
    #expect(model.redirects == 1 && model.pieces == 1)
    session.invalidateAndCancel()
  }

  @Test func anActorLoads() async throws {
    let store = Store()
    let session = session()
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<3 {
        group.addTask { await store.load(URL(string: "plain:\(number)") ?? "plain:", from: session) }
      }
    }
    #expect(await store.loaded == ["plain:0": 5, "plain:1": 5, "plain:2": 5])
  }

  @Test func requestsResponsesAndErrorsAreSent() async throws {
    var request = URLRequest(url: "plain:x")
    request.setValue("1", forHTTPHeaderField: "A")
    let sent = request
    let session = session()
    let (response, cache) = try await Task.detached { [cache = URLCache()] in
      (try await session.data(for: sent).1, cache)
    }.value
    cache.storeCachedResponse(CachedURLResponse(response: response, data: Data()), for: sent)
    #expect(cache.cachedResponse(for: request) != nil)
  }
}
