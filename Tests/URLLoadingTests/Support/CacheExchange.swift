import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoading

/// A server whose answers are numbered, and sessions with one cache.
final class CacheExchange: Sendable {
  enum Tier: String, CaseIterable { case memory, disk }

  let server: ScriptedServer
  let directory: TemporaryDirectory
  let cache: URLCache
  let session: URLSession

  /// - Parameters:
  ///   - tier: where responses are kept.
  ///   - capacity: bytes that it takes.
  ///   - answer: gives the answer to a request, of which the number counts from 1.
  init(
    _ tier: Tier = .memory, capacity: Int = 10_000_000,
    _ answer: @escaping @Sendable (HTTPRequest, Int) -> HTTPResponse
  ) throws {
    let count = Watched(0)
    server = try ScriptedServer.http { request in
      answer(
        request,
        count.update {
          $0 += 1
          return $0
        })
    }
    directory = try TemporaryDirectory()
    cache = URLCache(
      memoryCapacity: tier == .memory ? capacity : 0, diskCapacity: tier == .disk ? capacity : 0,
      directory: directory.url)
    session = URLSession(configuration: Self.configuration(cache))
  }

  deinit { session.invalidateAndCancel() }

  static func configuration(_ cache: URLCache) -> URLSessionConfiguration {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.urlCache = cache
    configuration.connectionProxyDictionary = [:]
    return configuration
  }

  func get(
    _ path: String = "/", _ fields: [String: String] = [:], method: String = "GET",
    policy: URLRequest.CachePolicy = .useProtocolCachePolicy
  ) async throws -> (text: String, response: HTTPURLResponse) {
    var request = URLRequest(url: server.url(path), cachePolicy: policy)
    request.httpMethod = method
    for (name, value) in fields { request.setValue(value, forHTTPHeaderField: name) }
    let (data, response) = try await session.data(for: request)
    return (String(decoding: data, as: UTF8.self), try #require(response as? HTTPURLResponse))
  }

  /// Loads its URL, one time after another, by data tasks of a delegate.
  /// - Parameter cache: nil for the exchange's own.
  func load(_ count: Int, _ delegate: CacheDecider, cache: URLCache? = nil) async -> URLSession {
    let session = URLSession(
      configuration: Self.configuration(cache ?? self.cache), delegate: delegate, delegateQueue: nil)
    for number in 1...count {
      session.dataTask(with: server.url("/")).resume()
      #expect(await delegate.completions.wait { $0 == number })
    }
    return session
  }

  var requests: [HTTPRequest] { server.requests }

  static func numbered(_ fields: URLLoadingTestServers.HTTPFields)
    -> @Sendable (HTTPRequest, Int) -> HTTPResponse
  {
    { _, number in HTTPResponse(fields: fields, text: "\(number)") }
  }
}
