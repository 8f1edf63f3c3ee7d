import Glibc
import URLLoading
import URLLoadingMetrics
import URLLoadingTracing

// Loads a URL many times, with or without listeners to which nobody listens, for Scripts/integrations-cost.
// usage: integrations-cost URL LOADS none|both
@main struct IntegrationsCost {
  // Not asynchronous: valgrind 3.19 crashes where the first thread ends by itself (`dispatchMain`).
  static func main() {
    let arguments = CommandLine.arguments
    guard arguments.count == 4, let url = URL(string: arguments[1]), let loads = Int(arguments[2]) else {
      print("usage: integrations-cost URL LOADS none|both")
      exit(2)
    }
    let hasListeners = arguments[3] == "both"
    Task.detached {
      do {
        try await load(url, times: loads, hasListeners: hasListeners)
        exit(0)
      } catch {
        print("\(url): \(error)")
        exit(1)
      }
    }
    while true { pause() }
  }

  private static func load(_ url: URL, times: Int, hasListeners: Bool) async throws {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.connectionProxyDictionary = [:]
    configuration.urlCache = nil
    if hasListeners {
      let listeners: [any URLSession.EventListener] = [TracingEventListener(), MetricsEventListener()]
      configuration.sessionEventListener = URLSession.EventForwarder(listeners)
    }
    let session = URLSession(configuration: configuration)
    try await withTaskExecutorPreference(URLSession.loadingExecutor) {
      for _ in 0..<times {
        let (_, response) = try await session.data(from: url)
        guard (response as? HTTPURLResponse)?.statusCode == 200 else { throw URLError(.badServerResponse) }
      }
    }
  }
}
