import URLLoading
import URLLoadingMetrics
import URLLoadingTracing

// Loads a URL many times, with or without listeners to which nobody listens, for Scripts/integrations-cost.
// usage: integrations-cost URL LOADS none|both
@main struct IntegrationsCost {
  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 4, let url = URL(string: arguments[1]), let loads = Int(arguments[2]) else {
      print("usage: integrations-cost URL LOADS none|both")
      exit(2)
    }
    let configuration = URLSessionConfiguration.ephemeral
    configuration.connectionProxyDictionary = [:]
    configuration.urlCache = nil
    if arguments[3] == "both" {
      let listeners: [any URLSession.EventListener] = [TracingEventListener(), MetricsEventListener()]
      configuration.sessionEventListener = URLSession.EventForwarder(listeners)
    }
    let session = URLSession(configuration: configuration)
    try await withTaskExecutorPreference(URLSession.loadingExecutor) {
      for _ in 0..<loads {
        let (_, response) = try await session.data(from: url)
        guard (response as? HTTPURLResponse)?.statusCode == 200 else { throw URLError(.badServerResponse) }
      }
    }
  }
}
