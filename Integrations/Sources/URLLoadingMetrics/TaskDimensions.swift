import URLLoading
import URLLoadingTelemetry

/// What tasks are told apart by.
struct TaskDimensions: Hashable, Sendable {
  let scheme: String
  let outcome: String
  let errorType: String?

  init(_ outcome: URLSession.EventOutcome, _ task: URLSessionTask) {
    scheme = RequestDescription(task.originalRequest).scheme
    switch outcome {
    case .succeeded:
      self.outcome = "succeeded"
      errorType = ErrorType.name(of: (task.response as? HTTPURLResponse)?.statusCode)
    case .failed(let error):
      self.outcome = "failed"
      errorType = ErrorType.name(of: error)
    case .cancelled:
      self.outcome = "cancelled"
      errorType = ErrorType.name(of: URLError(.cancelled))
    }
  }

  /// As backends take them.
  var pairs: [(String, String)] {
    let pairs = [("url.scheme", scheme), ("url_loading.outcome", outcome)]
    return pairs + (errorType.map { [("error.type", $0)] } ?? [])
  }
}
