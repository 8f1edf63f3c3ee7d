import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoading

/// A handshake that is redirected while the instance that was is still in its `startLoading`.
@Suite(.timeLimit(.minutes(4))) struct WebSocketRedirectTests {
  // Safe to share: it has no state of its own; that of the class is events.
  /// Redirects from `/first`, and observes the output there after the instance for `/second` has; that one answers when both have observed.
  private final class LateObserver: URLProtocol, @unchecked Sendable {
    static let secondObserves = AsyncEvent()
    static let bothObserve = AsyncEvent()
    static let secondReads = AsyncEvent()
    static let toldFirst = Watched(0)

    override class var capabilities: Capabilities { [.duplex] }
    override class func canInit(with request: URLRequest) -> Bool { request.url?.host == "late.test" }

    override func startLoading() {
      guard let client = sessionClient, let url = request.url, let upstream = client.urlProtocolDemand(self).upstream
      else { return }
      if url.path == "/first", let second = URL(string: "http://late.test/second") {
        client.urlProtocol(self, wasRedirectedTo: URLRequest(url: second), redirectResponse: response(302, of: url))
        _ = Self.secondObserves.waitBlocking()
        upstream.observe { Self.toldFirst.update { $0 += 1 } }
        Self.bothObserve.signal()
      } else {
        upstream.observe {
          withUnsafeTemporaryAllocation(byteCount: 1024, alignment: 1) {
            if case .bytes = upstream.read(into: $0) { Self.secondReads.signal() }
          }
        }
        Self.secondObserves.signal()
        _ = Self.bothObserve.waitBlocking()
        client.urlProtocol(self, didReceive: response(101, of: url), cacheStoragePolicy: .notAllowed)
      }
    }

    override func stopLoading() {}

    private func response(_ status: Int, of url: URL) -> URLResponse {
      let key = request.value(forHTTPHeaderField: "Sec-WebSocket-Key") ?? ""
      let fields = [
        "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Accept": WebSocketHandshake.accept(key),
      ]
      return HTTPURLResponse(url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: fields)
        ?? URLResponse()
    }
  }

  @Test func anInstanceThatObservesAfterItsSuccessorReplacesNothing() async throws {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.protocolClasses = [LateObserver.self]
    let session = URLSession(configuration: configuration)
    let task = session.webSocketTask(with: try #require(URL(string: "ws://late.test/first")))
    task.resume()
    let isSent = AsyncEvent()
    task.send(.string("there")) { if $0 == nil { isSent.signal() } }
    #expect(await isSent.wait(timeout: .seconds(30)))
    #expect(LateObserver.secondReads.isSignalled)
    #expect(LateObserver.toldFirst.value == 0)
    session.invalidateAndCancel()
  }
}
