import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoading

/// What the cache does, as events and as transactions of the metrics.
@Suite(.timeLimit(.minutes(4))) struct CachedEventTests {
  private let recorder = EventRecorder()
  private let cache = URLCache(memoryCapacity: 1_000_000, diskCapacity: 0)

  private func transactions(of task: Int) throws -> [URLSessionTaskTransactionMetrics] {
    try #require(recorder.log.value.metrics[task]).transactionMetrics
  }

  @Test func aHit() async throws {
    let server = try ScriptedServer.http { _ in HTTPResponse(fields: ["Cache-Control": "max-age=600"], text: "body") }
    let session = recorder.session(cache: cache)
    for _ in 0..<2 { _ = try await session.data(from: server.url("/a")) }
    #expect(
      recorder.steps() == [
        "begin", "choose /a", "miss nothing-stored", "send", "response 200", "store", "finish network 200", "end",
      ])
    #expect(
      recorder.events(of: 2) == ["begin", "choose /a", "hit fresh", "response 200", "finish cache 200", "end"])
    let hit = try transactions(of: 2)
    #expect(hit.map(\.resourceFetchType) == [.localCache])
    #expect(hit[0].request.url == server.url("/a"))
    #expect((hit[0].response as? HTTPURLResponse)?.statusCode == 200)
    #expect(hit[0].countOfResponseBodyBytesAfterDecoding == 4 && hit[0].remoteAddress == nil)
    let dates = [hit[0].fetchStartDate, hit[0].responseStartDate, hit[0].responseEndDate].compactMap(\.self)
    #expect(dates.count == 3 && dates == dates.sorted())
  }

  @Test func aValidation() async throws {
    let server = try ScriptedServer.http { request in
      request.fields["If-None-Match"] == nil
        ? HTTPResponse(fields: ["ETag": "\"v\"", "Cache-Control": "no-cache"], text: "body") : HTTPResponse(304)
    }
    let session = recorder.session(cache: cache)
    for _ in 0..<2 { _ = try await session.data(from: server.url("/a")) }
    #expect(
      recorder.steps(of: 2) == [
        "begin", "choose /a", "validate no-cache", "send", "validated 304", "finish network 304", "response 200",
        "finish cache 200", "end",
      ])
    let both = try transactions(of: 2)
    #expect(both.map(\.resourceFetchType) == [.networkLoad, .localCache])
    #expect(both.map { ($0.response as? HTTPURLResponse)?.statusCode } == [304, 200])
    #expect(both[0].request.value(forHTTPHeaderField: "If-None-Match") == "\"v\"")
    #expect(both[1].request.value(forHTTPHeaderField: "If-None-Match") == nil)
    #expect(both[0].remotePort == "\(server.port)" && both[1].remotePort == nil)
    #expect(both[1].countOfResponseBodyBytesReceived == 4)
  }

  @Test func aFailureThatTheCacheHides() async throws {
    let count = Watched(0)
    let server = try ScriptedServer.http { _ in
      let number = count.update {
        $0 += 1
        return $0
      }
      return number == 1
        ? HTTPResponse(fields: ["Cache-Control": "max-age=0, stale-if-error=600", "ETag": "\"v\""], text: "body")
        : HTTPResponse(503)
    }
    let session = recorder.session(cache: cache)
    for _ in 0..<2 { _ = try await session.data(from: server.url("/a")) }
    let steps = recorder.steps(of: 2)
    #expect(steps.contains("hit stale-if-error") && steps.last == "end", "\(steps)")
    let both = try transactions(of: 2)
    #expect(both.map(\.resourceFetchType) == [.networkLoad, .localCache])
    #expect(both.map { ($0.response as? HTTPURLResponse)?.statusCode } == [503, 200])
  }

  @Test func whatIsNotStoredSaysWhy() async throws {
    let server = try ScriptedServer.http { _ in HTTPResponse(fields: ["Cache-Control": "no-store"], text: "body") }
    let session = recorder.session(cache: cache)
    _ = try await session.data(from: server.url("/a"))
    #expect(recorder.steps().contains("no store no-store"))
    var post = URLRequest(url: server.url("/a"))
    post.httpMethod = "POST"
    _ = try await session.data(for: post)
    #expect(recorder.steps(of: 2).contains("miss method"))
    let reloading = URLRequest(url: server.url("/a"), cachePolicy: .reloadIgnoringLocalCacheData)
    _ = try await session.data(for: reloading)
    #expect(recorder.steps(of: 3).contains("miss policy-reloads"))
  }

  @Test func onlyTheCacheMayAnswer() async throws {
    let url = URL(stringLiteral: "http://127.0.0.1:1/x")
    let session = recorder.session(cache: cache)
    _ = try? await session.data(for: URLRequest(url: url, cachePolicy: .returnCacheDataDontLoad))
    #expect(recorder.events() == ["begin", "choose /x", "miss nothing-stored", "end failed -1008"])
  }

  @Test func aDelegateThatWantsNothingStored() async throws {
    final class Refusing: NSObject, URLSessionDataDelegate {
      func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, willCacheResponse proposedResponse: CachedURLResponse,
        completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void
      ) { completionHandler(nil) }
    }
    let server = try ScriptedServer.http { _ in HTTPResponse(fields: ["Cache-Control": "max-age=600"], text: "body") }
    let session = recorder.session(cache: cache, delegate: Refusing())
    session.dataTask(with: server.url("/a")).resume()
    #expect(await recorder.waitForEnd())
    #expect(recorder.steps().contains("no store delegate"), "\(recorder.steps())")
  }
}
