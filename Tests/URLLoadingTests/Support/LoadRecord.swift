import Foundation
import URLLoading

/// What was seen of one task.
struct LoadRecord: Sendable {
  /// The names of the delegate's calls, in their order.
  var events: [String] = []
  /// The response.
  var response: URLResponse?
  /// The body, wherever it came.
  var body = Data()
  /// How the load failed.
  var error: (any Error)?
  /// How often its end was told.
  var completions = 0
  /// The redirects that the delegate was asked about.
  var redirects: [(response: HTTPURLResponse, request: URLRequest)] = []
  /// The challenges that the delegate was asked about.
  var challenges: [URLAuthenticationChallenge] = []
  /// The informational responses.
  var informational: [HTTPURLResponse] = []
  /// How often the delegate was asked for a body stream.
  var streams = 0
  /// The task's metrics.
  var metrics: URLSessionTaskMetrics?

  var http: HTTPURLResponse? { response as? HTTPURLResponse }
  var status: Int? { http?.statusCode }
  var text: String { String(decoding: body, as: UTF8.self) }
  var code: URLError.Code? { (error as? URLError)?.code }
}
