import Foundation
import URLLoading

extension URLSession {
  /// A session without a proxy, whose events go to a listener.
  package static func heard(
    by listener: any URLSession.EventListener, cache: URLCache? = nil,
    _ change: (URLSessionConfiguration) -> Void = { _ in }
  ) -> URLSession {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.connectionProxyDictionary = [:]
    configuration.urlCache = cache
    configuration.sessionEventListener = listener
    change(configuration)
    return URLSession(configuration: configuration)
  }
}

/// Waits until something holds, looking every few milliseconds; false if it does not within the time.
package func eventually(
  within limit: Duration = .seconds(20), _ condition: @Sendable () async -> Bool
) async -> Bool {
  let end = ContinuousClock.now + limit
  while ContinuousClock.now < end {
    if await condition() { return true }
    try? await Task.sleep(for: .milliseconds(5))
  }
  return await condition()
}
