import Foundation
import Testing

@testable import URLLoading

/// One event of each kind.
enum LoadEventSamples {
  static let count = 30

  static func all() throws -> [LoadEvent] {
    let url = URL(stringLiteral: "http://host/a")
    let request = URLRequest(url: url)
    let response = try #require(HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: nil))
    let metrics = URLSessionTaskTransactionMetrics(request: request)
    let interval = DateInterval(start: Date(), duration: 1)
    let fresh = URLSession.EventCacheReason(CacheReason.fresh)
    let challenge = URLAuthenticationChallenge(
      protectionSpace: URLProtectionSpace(
        host: "host", port: 80, protocol: "http", realm: nil, authenticationMethod: nil),
      proposedCredential: nil, previousFailureCount: 0, failureResponse: nil, error: nil,
      sender: EventfulProtocol(request: request, cachedResponse: nil, client: nil))
    return [
      .began, .chose(DataProtocol.self, request), .queued(true), .queued(false),
      .waitsForConnectivity(URLError(.notConnectedToInternet)), .retries(.connectionLost), .missedCache(fresh),
      .hitCache(response, fresh), .validates(response, fresh), .validated(response), .stored(response),
      .notStored(response, fresh), .lookedUp(interval, metrics), .connected(interval, metrics),
      .secured(interval, metrics), .reused(metrics), .sent(Date(), metrics), .informational(response),
      .response(response), .became(URLSession.shared.downloadTask(with: url)),
      .redirected(response, proposed: request, followed: request),
      .redirected(response, proposed: request, followed: nil), .challenged(challenge),
      .answered(challenge, .useCredential, URLCredential(user: "me", password: "x", persistence: .none)),
      .paused(.suspended), .resumed(.slowConsumer), .finishedTransaction(metrics),
      .ended(.succeeded, URLSessionTaskMetrics()), .ended(.cancelled, URLSessionTaskMetrics()),
      .ended(.failed(URLError(.timedOut)), URLSessionTaskMetrics()),
    ]
  }
}
