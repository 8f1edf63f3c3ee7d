import CoreMetrics
import Foundation
import MetricsTestKit
import Testing
import URLLoading
import URLLoadingIntegrationsTestSupport
import URLLoadingMetrics

/// What is measured of loads from a server.
@Suite(.timeLimit(.minutes(4))) struct MetricsTests {
  private let metrics = TestMetrics()

  private func session(
    cache: URLCache? = nil, _ options: MetricsEventListener.Options = .init(),
    _ change: (URLSessionConfiguration) -> Void = { _ in }
  ) -> URLSession {
    .heard(by: MetricsEventListener(metrics, options: options), cache: cache, change)
  }

  private func dimensions(_ pairs: [(String, String)]) -> [String: String] {
    Dictionary(pairs, uniquingKeysWith: { first, _ in first })
  }

  private func total(_ label: String, _ name: String, _ value: String) -> Int64 {
    metrics.counters(label: label).filter { dimensions($0.dimensions)[name] == value }.map(\.totalValue).reduce(0, +)
  }

  private var active: Double? { metrics.meters(label: "url_loading.active_tasks").first?.lastValue }

  @Test func aLoad() async throws {
    let server = try LoopbackServer { _ in .response(200, [:], "body") }
    _ = try await session().data(from: server.url())
    let request = try #require(metrics.timers(label: "http.client.request.duration").first)
    #expect(
      dimensions(request.dimensions) == [
        "http.request.method": "GET", "url.scheme": "http", "server.address": "127.0.0.1",
        "server.port": "\(server.number)", "http.response.status_code": "200", "network.protocol.version": "1.1",
      ])
    #expect(request.values.count == 1 && request.values.allSatisfy { $0 > 0 && $0 < 60_000_000_000 })
    let task = try #require(metrics.timers(label: "url_loading.task.duration").first)
    #expect(dimensions(task.dimensions) == ["url.scheme": "http", "url_loading.outcome": "succeeded"])
    #expect(task.values.count == 1)
    #expect(metrics.meters(label: "url_loading.active_tasks").first?.values == [1, 0])
    #expect(metrics.recorders(label: "http.client.response.body.size").first?.values == [4])
    #expect(total("url_loading.received_bytes", "url.scheme", "http") == 4)
    #expect(metrics.timers(label: "http.client.request.time_in_queue").first?.values.count == 1)
  }

  @Test func bytesOfUploads() async throws {
    let server = try LoopbackServer { _ in .response(201) }
    var request = URLRequest(url: server.url())
    request.httpMethod = "PUT"
    _ = try await session().upload(for: request, from: Data(count: 100_000))
    #expect(server.requests.first?.body.count == 100_000)
    #expect(metrics.recorders(label: "http.client.request.body.size").first?.values == [100_000])
    #expect(total("url_loading.sent_bytes", "url.scheme", "http") == 100_000)
  }

  @Test func redirectsAndFailures() async throws {
    let server = try LoopbackServer { request in
      request.target == "/a" ? .response(302, ["Location": "/b"]) : .response(503)
    }
    _ = try await session().data(from: server.url("/a"))
    let requests = metrics.timers(label: "http.client.request.duration").map { dimensions($0.dimensions) }
    #expect(Set(requests.map { $0["http.response.status_code"] }) == ["302", "503"])
    #expect(requests.first { $0["http.response.status_code"] == "302" }?["error.type"] == nil)
    #expect(requests.first { $0["http.response.status_code"] == "503" }?["error.type"] == "503")
    let port = try LoopbackServer.closedPort()
    _ = try? await session().data(from: try #require(URL(string: "http://127.0.0.1:\(port)/")))
    let failed = metrics.timers(label: "http.client.request.duration").map { dimensions($0.dimensions) }
    #expect(failed.contains { $0["error.type"] == "cannotConnectToHost" && $0["http.response.status_code"] == nil })
    let tasks = metrics.timers(label: "url_loading.task.duration").map { dimensions($0.dimensions) }
    #expect(tasks.contains { $0["url_loading.outcome"] == "failed" && $0["error.type"] == "cannotConnectToHost" })
    #expect(active == 0)
  }

  @Test func aCancellation() async throws {
    let server = try LoopbackServer { _ in .silence }
    let task = session().dataTask(with: server.url())
    task.resume()
    #expect(await eventually { !server.requests.isEmpty })
    #expect(active == 1)
    task.cancel()
    #expect(await eventually { active == 0 })
    let tasks = metrics.timers(label: "url_loading.task.duration").map { dimensions($0.dimensions) }
    #expect(tasks.map { $0["url_loading.outcome"] } == ["cancelled"])
  }

  @Test func theCache() async throws {
    let server = try LoopbackServer.ofCacheableResponses()
    let session = session(cache: URLCache(memoryCapacity: 1_000_000, diskCapacity: 0))
    for path in ["/fresh", "/fresh", "/fresh", "/other", "/other"] {
      _ = try await session.data(from: server.url(path))
    }
    #expect(total("url_loading.cache.lookups", "result", "hit") == 2)
    #expect(total("url_loading.cache.lookups", "result", "miss") == 2)
    #expect(total("url_loading.cache.lookups", "result", "validated") == 1)
    // What a cache answers is no request.
    let requests = metrics.timers(label: "http.client.request.duration").map(\.values.count).reduce(0, +)
    #expect(requests == 3 && server.requests.count == 3)
    #expect(total("url_loading.received_bytes", "url.scheme", "http") == 8)
  }

  @Test func connectionsAndRetries() async throws {
    let seen = SharedCounter()
    let server = try LoopbackServer { request in
      request.target == "/b" && seen.next() == 1 ? .hangUp : .response(200)
    }
    let session = session()
    let open = { @Sendable [metrics] in metrics.meters(label: "http.client.open_connections").first }
    _ = try await session.data(from: server.url("/a"))
    #expect(open()?.lastValue == 1)
    _ = try await session.data(from: server.url("/b"))
    #expect(total("url_loading.retries", "reason", "connection-lost") == 1)
    #expect(await eventually { open()?.lastValue == 1 })
    #expect(open()?.values == [1, 0, 1] || open()?.values == [1, 2, 1])
    session.invalidateAndCancel()
    #expect(await eventually { open()?.lastValue == 0 })
  }

  @Test func manyServersDoNotMakeManySeries() async throws {
    let servers = try (0..<4).map { _ in try LoopbackServer { _ in .response(200) } }
    var options = MetricsEventListener.Options()
    options.maximumSeries = 2
    let session = session(options)
    for server in servers { _ = try await session.data(from: server.url()) }
    let addresses = metrics.timers(label: "http.client.request.duration").map {
      dimensions($0.dimensions)["server.address"]
    }
    #expect(addresses.count == 3 && addresses.count { $0 == "_OTHER" } == 1)
    options.recordsServers = false
    let other = TestMetrics()
    let unnamed = URLSession.heard(by: MetricsEventListener(other, options: options))
    for server in servers { _ = try await unnamed.data(from: server.url()) }
    #expect(other.timers(label: "http.client.request.duration").map(\.values.count) == [4])
  }

  @Test func aHundredAtOnce() async throws {
    let server = try LoopbackServer { _ in .response(200, [:], "body") }
    let session = session()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<100 { group.addTask { _ = try? await session.data(from: server.url()) } }
    }
    #expect(active == 0)
    #expect(metrics.timers(label: "http.client.request.duration").map(\.values.count) == [100])
    // A request that has a connection at once does not wait.
    let waits = metrics.timers(label: "http.client.request.time_in_queue").first?.values.count ?? 0
    #expect((1...100).contains(waits))
    #expect(total("url_loading.received_bytes", "url.scheme", "http") == 400)
    #expect(metrics.meters(label: "http.client.open_connections").first.map { $0.values.max() ?? 0 <= 6 } == true)
  }

  @Test func nobodyListens() async throws {
    let server = try LoopbackServer { _ in .response(200) }
    let request = URLRequest(url: server.url())
    #expect(MetricsEventListener(NOOPMetricsHandler.instance).listener(for: request) == nil)
    #expect(MetricsEventListener().listener(for: request) == nil)
    _ = try await URLSession.heard(by: MetricsEventListener()).data(for: request)
  }
}
