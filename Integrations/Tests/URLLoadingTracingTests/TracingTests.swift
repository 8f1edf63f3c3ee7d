import Foundation
import InMemoryTracing
import Testing
import Tracing
import URLLoading
import URLLoadingIntegrationsTestSupport
import URLLoadingTracing

/// The spans of loads from a server, and what the server gets of them.
@Suite(.timeLimit(.minutes(4))) struct TracingTests {
  private let tracer = W3CTracer()

  private func session(
    cache: URLCache? = nil, _ options: TracingEventListener.Options = .init(),
    _ change: (URLSessionConfiguration) -> Void = { _ in }
  ) -> URLSession {
    .heard(by: TracingEventListener(tracer, options: options), cache: cache, change)
  }

  private var spans: [FinishedInMemorySpan] { tracer.memory.finishedSpans }

  /// The spans of tasks, and those of attempts, as they have ended.
  private var tasks: [FinishedInMemorySpan] {
    spans.filter { $0.kind == .internal && $0.attributes.get("url.full") != nil }
  }
  private var attempts: [FinishedInMemorySpan] { spans.filter { $0.kind == .client } }

  private func text(_ name: String, of span: FinishedInMemorySpan) -> String? {
    guard case .string(let text)? = span.attributes.get(name) else { return nil }
    return text
  }

  private func number(_ name: String, of span: FinishedInMemorySpan) -> Int? {
    switch span.attributes.get(name) {
    case .int64(let number)?: Int(number)
    case .int32(let number)?: Int(number)
    default: nil
    }
  }

  @Test func aLoad() async throws {
    let server = try LoopbackServer { _ in .response(200, [:], "body") }
    _ = try await session().data(from: server.url("/a?key=x", user: "me:hunter2@"))
    let (task, attempt) = (try #require(tasks.first), try #require(attempts.first))
    #expect(spans.count == 2 && tracer.memory.activeSpans.isEmpty)
    #expect(task.operationName == "GET" && attempt.operationName == "GET")
    #expect(task.parentSpanID == nil && attempt.parentSpanID == task.spanID && attempt.traceID == task.traceID)
    #expect(server.requests.map { $0.fields["traceparent"] } == [W3CTracer.traceparent(of: attempt)])
    #expect(server.requests.first?.fields["tracestate"] == "tests=1")
    for span in [task, attempt] {
      #expect(text("http.request.method", of: span) == "GET")
      #expect(text("url.full", of: span) == "http://REDACTED:REDACTED@127.0.0.1:\(server.number)/a?key=REDACTED")
      #expect(text("server.address", of: span) == "127.0.0.1")
      #expect(number("server.port", of: span) == server.number)
      #expect(number("http.response.status_code", of: span) == 200)
      #expect(span.status == nil && text("error.type", of: span) == nil)
      #expect(number("http.request.resend_count", of: span) == nil)
      #expect(span.startInstant.nanosecondsSinceEpoch <= span.endInstant.nanosecondsSinceEpoch)
    }
    #expect(text("network.protocol.version", of: attempt) == "1.1")
    #expect(text("network.peer.address", of: attempt) == "127.0.0.1")
    #expect(number("network.peer.port", of: attempt) == server.number)
  }

  @Test func theParentIsTheContextOfTheCodeThatMakesTheTask() async throws {
    let server = try LoopbackServer { _ in .response(200) }
    let session = session()
    let (outer, task) = tracer.withSpan("handler") { span in
      (span.context.inMemorySpanContext, session.dataTask(with: server.url()))
    }
    // Resumed by code of another context.
    await Task.detached { task.resume() }.value
    #expect(await eventually { !tasks.isEmpty })
    #expect(tasks.first?.parentSpanID == outer?.spanID && tasks.first?.traceID == outer?.traceID)
    _ = try await tracer.withSpan("other") { _ in try await session.data(from: server.url()) }
    let other = try #require(spans.first { $0.operationName == "other" })
    #expect(tasks.last?.parentSpanID == other.spanID)
    #expect(server.requests.last?.fields["traceparent"]?.contains(other.traceID) == true)
  }

  @Test func aRedirectIsAnotherAttempt() async throws {
    let server = try LoopbackServer { request in
      request.target == "/a" ? .response(302, ["Location": "/b"]) : .response(200)
    }
    _ = try await session().data(from: server.url("/a"))
    #expect(tasks.count == 1 && attempts.count == 2 && tracer.memory.activeSpans.isEmpty)
    #expect(attempts.allSatisfy { $0.parentSpanID == tasks.first?.spanID })
    #expect(attempts.map { number("http.response.status_code", of: $0) } == [302, 200])
    #expect(attempts.map { number("http.request.resend_count", of: $0) } == [nil, 1])
    #expect(attempts.map { text("url.full", of: $0) } == ["/a", "/b"].map { server.url($0).absoluteString })
    #expect(server.requests.map { $0.fields["traceparent"] } == attempts.map { W3CTracer.traceparent(of: $0) })
    #expect(tasks.first.flatMap { number("http.response.status_code", of: $0) } == 200)
  }

  @Test func aContextStaysWithTheHostsThatMayHaveIt() async throws {
    let other = try LoopbackServer { _ in .response(200) }
    let server = try LoopbackServer { _ in .response(302, ["Location": other.url("/b").absoluteString]) }
    var options = TracingEventListener.Options()
    options.propagates = { $0.port == server.number }
    options.spanName = { "\($0.httpMethod ?? "GET") /{letter}" }
    _ = try await session(options).data(from: server.url("/a"))
    #expect(server.requests.first?.fields["traceparent"] != nil)
    #expect(other.requests.count == 1 && other.requests.first?.fields["traceparent"] == nil)
    #expect(other.requests.first?.fields["tracestate"] == nil)
    #expect(Set(spans.map(\.operationName)) == ["GET /{letter}"])
  }

  @Test func aRequestThatIsSentAgain() async throws {
    // The second request on a connection is not answered; its repetition, on another one, is.
    let seen = SharedCounter()
    let server = try LoopbackServer { request in
      request.target == "/b" && seen.next() == 1 ? .hangUp : .response(200)
    }
    let session = session()
    _ = try await session.data(from: server.url("/a"))
    _ = try await session.data(from: server.url("/b"))
    #expect(server.requests.map(\.target) == ["/a", "/b", "/b"])
    #expect(attempts.count == 2 && tracer.memory.activeSpans.isEmpty)
    let attempt = try #require(attempts.last)
    // What goes out again has the span that its field names.
    let parents = server.requests.suffix(2).map { $0.fields["traceparent"] }
    #expect(parents.allSatisfy { $0 == W3CTracer.traceparent(of: attempt) })
    #expect(number("http.response.status_code", of: attempt) == 200 && attempt.status == nil)
    #expect(number("http.request.resend_count", of: attempt) == 1, "\(attempt.events)")
    #expect(attempt.events.map(\.name) == ["resend"])
  }

  private final class LogsIn: NSObject, URLSessionTaskDelegate, Sendable {
    func urlSession(
      _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
      (.useCredential, URLCredential(user: "me", password: "hunter2", persistence: .none))
    }
  }

  @Test func anAnsweredChallengeIsNoFailure() async throws {
    let server = try LoopbackServer { request in
      request.fields["authorization"] == nil
        ? .response(401, ["WWW-Authenticate": "Basic realm=\"r\""]) : .response(200)
    }
    _ = try await session().data(from: server.url("/a"), delegate: LogsIn())
    let attempt = try #require(attempts.first)
    #expect(attempts.count == 1 && server.requests.count == 2)
    #expect(number("http.response.status_code", of: attempt) == 200 && attempt.status == nil)
    #expect(number("http.request.resend_count", of: attempt) == 1 && text("error.type", of: attempt) == nil)
  }

  @Test func aStatusOfFailure() async throws {
    let server = try LoopbackServer { _ in .response(404) }
    _ = try await session().data(from: server.url())
    #expect(spans.count == 2)
    for span in spans {
      #expect(span.status?.code == .error && text("error.type", of: span) == "404")
      #expect(number("http.response.status_code", of: span) == 404)
    }
  }

  @Test func failures() async throws {
    let port = try LoopbackServer.closedPort()
    _ = try? await session().data(from: try #require(URL(string: "http://127.0.0.1:\(port)/")))
    #expect(spans.count == 2 && tracer.memory.activeSpans.isEmpty)
    #expect(spans.allSatisfy { $0.status?.code == .error && text("error.type", of: $0) == "cannotConnectToHost" })
    let server = try LoopbackServer { _ in .brokenBody }
    _ = try? await session().data(from: server.url())
    let broken = spans.suffix(2)
    #expect(broken.allSatisfy { text("error.type", of: $0) == "networkConnectionLost" })
    #expect(broken.allSatisfy { number("http.response.status_code", of: $0) == 200 && $0.status?.code == .error })
    _ = try? await session().data(from: try #require(URL(string: "odd:x")))
    // Nothing was sent.
    #expect(spans.count == 5 && spans.last.flatMap { text("error.type", of: $0) } == "unsupportedURL")
    #expect(tracer.memory.activeSpans.isEmpty)
  }

  @Test func aCancellation() async throws {
    let server = try LoopbackServer { _ in .silence }
    let task = session().dataTask(with: server.url())
    task.resume()
    #expect(await eventually { !server.requests.isEmpty })
    #expect(tracer.memory.activeSpans.count == 2)
    task.cancel()
    #expect(await eventually { spans.count == 2 })
    #expect(tracer.memory.activeSpans.isEmpty)
    #expect(spans.allSatisfy { $0.status?.code == .error && text("error.type", of: $0) == "cancelled" })
  }

  @Test func aTaskThatIsCancelledBeforeItBegins() async throws {
    let server = try LoopbackServer { _ in .response(200) }
    let task = session().dataTask(with: server.url())
    task.cancel()
    #expect(await eventually { spans.count == 1 })
    #expect(tracer.memory.activeSpans.isEmpty && server.requests.isEmpty)
  }

  @Test func whatACacheAnswersHasNoAttempt() async throws {
    let server = try LoopbackServer.ofCacheableResponses()
    let session = session(cache: URLCache(memoryCapacity: 1_000_000, diskCapacity: 0))
    for _ in 0..<2 { _ = try await session.data(from: server.url("/fresh")) }
    #expect(tasks.map { text("url_loading.cache.result", of: $0) } == ["miss", "hit"])
    #expect(tasks.map { number("http.response.status_code", of: $0) } == [200, 200])
    #expect(attempts.count == 1)
    for _ in 0..<2 { _ = try await session.data(from: server.url("/validated")) }
    #expect(tasks.last.flatMap { text("url_loading.cache.result", of: $0) } == "validated")
    #expect(tasks.last.flatMap { number("http.response.status_code", of: $0) } == 200)
    #expect(attempts.map { number("http.response.status_code", of: $0) } == [200, 200, 304])
    // What a validation sends is not what a program asked for on its own.
    #expect(server.requests.allSatisfy { $0.fields["traceparent"] != nil })
    #expect(tracer.memory.activeSpans.isEmpty)
  }

  @Test func otherSchemes() async throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("tracing-\(UUID().uuidString)")
    try Data("x".utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    _ = try await session().data(from: file)
    #expect(spans.count == 2)
    #expect(spans.allSatisfy { text("url.scheme", of: $0) == "file" && text("http.request.method", of: $0) == nil })
  }

  @Test func aHundredAtOnce() async throws {
    let server = try LoopbackServer { request in
      request.target.hasSuffix("7") ? .response(302, ["Location": "/to"]) : .response(200)
    }
    let session = session()
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<100 {
        group.addTask {
          let load = Task { try await session.data(from: server.url("/\(number)")) }
          if number % 10 == 3 { load.cancel() }
          _ = try? await load.value
        }
      }
    }
    #expect(await eventually { tracer.memory.activeSpans.isEmpty })
    #expect(tasks.count <= 100 && tasks.count >= 90)
    let ids = Set(tasks.map(\.spanID))
    #expect(attempts.allSatisfy { $0.parentSpanID.map { ids.contains($0) } == true })
    #expect(Set(attempts.map(\.spanID)).count == attempts.count)
    let known = Set(attempts.map { W3CTracer.traceparent(of: $0) })
    let received = server.requests.compactMap { $0.fields["traceparent"] }
    #expect(received.count == server.requests.count && known.isSuperset(of: received))
    #expect(Set(received).count == received.count)
  }

  @Test func nobodyListens() async throws {
    let server = try LoopbackServer { _ in .response(200) }
    let request = URLRequest(url: server.url())
    #expect(TracingEventListener(NoOpTracer()).listener(for: request) == nil)
    #expect(TracingEventListener().listener(for: request) == nil)
    _ = try await URLSession.heard(by: TracingEventListener()).data(for: request)
    #expect(server.requests.first?.fields["traceparent"] == nil)
    // A tracer of the code that makes the task.
    let session = URLSession.heard(by: TracingEventListener())
    _ = try await withTracer(tracer) { try await session.data(for: request) }
    #expect(spans.count == 2 && server.requests.last?.fields["traceparent"] != nil)
  }
}
