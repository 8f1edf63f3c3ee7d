import Foundation
import URLLoading
import URLLoadingRedis
import URLLoadingTestServers

/// A server whose answers are numbered, and a Redis with keys of the test's own.
final class Fleet: Sendable {
  let server: ScriptedServer
  let redis: URL
  let prefix = "test-\(UUID())"

  init(
    redis: URL? = nil, _ answer: @escaping @Sendable (HTTPRequest, Int) -> HTTPResponse
  ) async throws {
    let count = Watched(0)
    server = try ScriptedServer.http { request in
      let number = count.update {
        $0 += 1
        return $0
      }
      return answer(request, number)
    }
    if let redis { self.redis = redis } else { self.redis = try await RedisServer.shared.url() }
  }

  func store(_ change: (inout RedisCacheStore.Options) -> Void = { _ in }) throws -> RedisCacheStore {
    var options = RedisCacheStore.Options()
    options.prefix = prefix
    options.timeout = .seconds(5)
    change(&options)
    return try RedisCacheStore(url: redis, options: options)
  }

  /// A session of another member of the fleet: it has nothing in memory.
  func member(_ store: RedisCacheStore? = nil, memory: Int = 0) throws -> URLSession {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.connectionProxyDictionary = [:]
    configuration.urlCache = URLCache(store: try store ?? self.store(), memoryCapacity: memory)
    return URLSession(configuration: configuration)
  }

  func get(_ session: URLSession, _ path: String = "/", _ fields: [String: String] = [:]) async throws -> String {
    var request = URLRequest(url: server.url(path))
    for (name, value) in fields { request.setValue(value, forHTTPHeaderField: name) }
    return String(decoding: try await session.data(for: request).0, as: UTF8.self)
  }

  /// Four processes load 1,000 URLs each.
  /// - Returns: what they say.
  func runWorkers(on redis: RedisServer) async throws -> [String] {
    try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<4 {
        group.addTask { [server] in
          try await Command.run(
            BuiltProgram.path("URLLoadingRedisWorker"),
            [redis.url().absoluteString, server.url("/").absoluteString, "1000", "16"], timeout: .seconds(90)
          ).text
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
  }

  /// Answers with the number of the request.
  static func numbered(_ fields: URLLoadingTestServers.HTTPFields)
    -> @Sendable (HTTPRequest, Int) -> HTTPResponse
  {
    { _, number in HTTPResponse(fields: fields, text: "\(number)") }
  }
}
