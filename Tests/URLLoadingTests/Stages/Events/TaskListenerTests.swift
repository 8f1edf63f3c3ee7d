import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoading

/// Listeners of one task, and the fields that they add to requests.
@Suite(.timeLimit(.minutes(4))) struct TaskListenerTests {
  /// Gives some tasks a listener of their own, which adds a field to each attempt.
  private final class Choosing: URLSession.EventListener {
    let heard = Watched<[String]>([])
    let tasks = Watched(0)
    let isWanted: @Sendable (URLRequest) -> Bool
    let fields: @Sendable (URLRequest, Int) -> [String: String]

    init(
      wants isWanted: @escaping @Sendable (URLRequest) -> Bool = { _ in true },
      adding fields: @escaping @Sendable (URLRequest, Int) -> [String: String] = { _, attempt in
        ["X-Attempt": "\(attempt)"]
      }
    ) {
      self.isWanted = isWanted
      self.fields = fields
    }

    func listener(for request: URLRequest) -> (any URLSession.EventListener)? {
      guard isWanted(request) else { return nil }
      tasks.update { $0 += 1 }
      return OfTask(all: self)
    }
  }

  private enum Local { @TaskLocal static var name = "none" }

  private final class OfTask: URLSession.EventListener {
    let all: Choosing
    let attempts = Watched(0)

    init(all: Choosing) {
      self.all = all
    }

    func task(_ task: URLSessionTask, willLoad request: URLRequest) -> [String: String] {
      let number = attempts.update {
        $0 += 1
        return $0
      }
      all.heard.update { $0.append("load \(request.url?.path ?? "")") }
      return all.fields(request, number)
    }

    func taskDidBegin(_ task: URLSessionTask) { all.heard.update { $0.append("begin") } }

    func task(_ task: URLSessionTask, didEnd outcome: URLSession.EventOutcome, metrics: URLSessionTaskMetrics) {
      all.heard.update { $0.append("end") }
    }
  }

  private func session(
    _ listener: any URLSession.EventListener, cache: URLCache? = nil, delegate: (any URLSessionDelegate)? = nil,
    _ change: (URLSessionConfiguration) -> Void = { _ in }
  ) -> URLSession {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.connectionProxyDictionary = [:]
    configuration.urlCache = cache
    configuration.sessionEventListener = listener
    change(configuration)
    return URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
  }

  @Test func aTaskToWhichNobodyListensGoesDirectly() async throws {
    let server = try ScriptedServer.http { _ in HTTPResponse(text: "x") }
    let listener = Choosing(wants: { $0.url?.path == "/wanted" })
    let session = session(listener)
    let unwanted = session.dataTask(with: server.url("/a")) { _, _, _ in }
    let plain = URLSession(configuration: .ephemeral).dataTask(with: server.url("/a")) { _, _, _ in }
    #expect(unwanted.load.events == nil && (unwanted.load.lane != nil) == (plain.load.lane != nil))
    let wanted = session.dataTask(with: server.url("/wanted")) { _, _, _ in }
    #expect(wanted.load.lane == nil && wanted.load.events != nil)
    _ = try await session.data(from: server.url("/a"))
    #expect(listener.heard.value.isEmpty && listener.tasks.value == 1)
    _ = try await session.data(from: server.url("/wanted"))
    #expect(listener.heard.value == ["begin", "load /wanted", "end"])
  }

  @Test func aListenerIsAskedWhereTheTaskIsMade() async throws {
    let names = Watched<[String]>([])
    let listener = Choosing(wants: { _ in
      names.update { $0.append(Local.name) }
      return false
    })
    let session = session(listener)
    let url = URL(stringLiteral: "data:,x")
    _ = Local.$name.withValue("made") { session.dataTask(with: url) }
    _ = try await Local.$name.withValue("awaited") { try await session.data(from: url) }
    #expect(names.value == ["made", "awaited"])
  }

  @Test func aForwarderAsksItsListeners() async throws {
    let server = try ScriptedServer.http { _ in HTTPResponse(text: "x") }
    let (first, second) = (Choosing(), Choosing(adding: { _, _ in ["X-Attempt": "other", "X-Second": "2"] }))
    let nobody = Choosing(wants: { _ in false })
    let request = URLRequest(url: server.url("/a"))
    #expect(URLSession.EventForwarder([nobody, nobody]).listener(for: request) == nil)
    #expect(URLSession.EventForwarder([nobody, first]).listener(for: request) is OfTask)
    _ = try await session(URLSession.EventForwarder([nobody, first, second])).data(for: request)
    #expect(first.heard.value == second.heard.value && first.heard.value.count == 3)
    let fields = try #require(server.requests.first?.fields)
    #expect(fields["X-Attempt"] == "1" && fields["X-Second"] == "2")
  }

  @Test func eachAttemptHasItsFields() async throws {
    let server = try await NginxServer.shared
    final class Seeing: NSObject, URLSessionTaskDelegate {
      let requests = Watched<[URLRequest]>([])
      func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
      ) {
        requests.update { $0.append(request) }
        completionHandler(request)
      }
    }
    let (delegate, sent) = (Seeing(), Watched<[String?]>([]))
    let listener = Choosing(adding: { request, attempt in
      sent.update { $0.append(request.value(forHTTPHeaderField: "X-Attempt")) }
      return attempt == 1 ? ["X-Attempt": "1", "X-Own": "listener"] : [:]
    })
    var request = URLRequest(url: server.url("/redirect/302?to=/small.txt"))
    request.setValue("program", forHTTPHeaderField: "X-Own")
    let session = session(listener, delegate: delegate) { $0.network.recordsRequestHeads = true }
    let task = session.dataTask(with: request)
    task.resume()
    #expect(await listener.heard.wait { $0.last == "end" })
    #expect(listener.heard.value == ["begin", "load /redirect/302", "load /small.txt", "end"])
    // Neither the delegate nor the next attempt gets what the listener has added; the program's own value is there again.
    #expect(delegate.requests.value.map { $0.value(forHTTPHeaderField: "X-Attempt") } == [nil])
    #expect(delegate.requests.value.map { $0.value(forHTTPHeaderField: "X-Own") } == ["program"])
    #expect(sent.value == [nil, nil])
    #expect(task.currentRequest?.value(forHTTPHeaderField: "X-Own") == "program")
  }

  @Test func theServerGetsThem() async throws {
    let server = try ScriptedServer.http { request in
      request.target == "/a" ? HTTPResponse(302, fields: ["Location": "/b"]) : HTTPResponse(text: "x")
    }
    _ = try await session(Choosing()).data(from: server.url("/a"))
    #expect(server.requests.map { $0.fields["X-Attempt"] } == ["1", "2"])
  }

  @Test func whatIsStoredIsAnsweredWithoutThem() async throws {
    let server = try ScriptedServer.http { request in
      request.fields["If-None-Match"] == nil
        ? HTTPResponse(fields: ["ETag": "\"v\"", "Cache-Control": "no-cache"], text: "body") : HTTPResponse(304)
    }
    let listener = Choosing()
    let session = session(listener, cache: URLCache(memoryCapacity: 1_000_000, diskCapacity: 0))
    for _ in 0..<2 {
      let (data, response) = try await session.data(from: server.url("/a"))
      #expect(data == Data("body".utf8) && (response as? HTTPURLResponse)?.statusCode == 200)
    }
    #expect(server.requests.map { $0.fields["X-Attempt"] } == ["1", "1"])
    var request = URLRequest(url: server.url("/a"))
    request.cachePolicy = .returnCacheDataElseLoad
    _ = try await session.data(for: request)
    #expect(server.requests.count == 2)
    #expect(listener.heard.value == ["begin", "load /a", "end", "begin", "load /a", "end", "begin", "end"])
  }

  @Test func otherSchemesGetNoFields() async throws {
    let listener = Choosing()
    let task = session(listener).dataTask(with: URL(stringLiteral: "data:,x"))
    task.resume()
    #expect(await listener.heard.wait { $0.last == "end" })
    #expect(listener.heard.value.count == 3)
    #expect(task.currentRequest?.value(forHTTPHeaderField: "X-Attempt") == nil)
  }

  @Test func fieldsAreWithdrawn() {
    var request = URLRequest(url: URL(stringLiteral: "http://host/"))
    request.setValue("own", forHTTPHeaderField: "A")
    let fields = ListenerFields(["a": "1", "B": "2", "C": "3"], to: &request)
    #expect(request.value(forHTTPHeaderField: "A") == "1" && request.value(forHTTPHeaderField: "b") == "2")
    // What somebody else has set since stays.
    request.setValue("other", forHTTPHeaderField: "C")
    fields.withdraw(from: &request)
    #expect(request.value(forHTTPHeaderField: "A") == "own" && request.value(forHTTPHeaderField: "B") == nil)
    #expect(request.value(forHTTPHeaderField: "C") == "other")
  }
}
