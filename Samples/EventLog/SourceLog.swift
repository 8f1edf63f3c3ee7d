import URLLoading

struct SourceLog: URLSession.EventListener {
  func task(_ task: URLSessionTask, didHitCache response: URLResponse, reason: URLSession.EventCacheReason) {
    print("the cache answers, because \(reason)")
  }

  func task(_ task: URLSessionTask, didMissCache reason: URLSession.EventCacheReason) {
    print("the server is asked, because \(reason)")
  }

  func task(_ task: URLSessionTask, didEnd outcome: URLSession.EventOutcome, metrics: URLSessionTaskMetrics) {
    guard case .failed(let error) = outcome else { return }
    print("failed:", error.localizedDescription)
  }
}
