import Tracing
import URLLoading
import URLLoadingTelemetry

/// The span of an attempt, and what is known of its end before it ends.
struct AttemptSpan: Sendable {
  let span: any Span
  /// How it went the last time it was sent: with an answered challenge that is not how it goes on.
  var transaction: TransactionDescription?
  /// It has its answer, a redirect that is followed: what the load ends with is not its failure.
  var isAnswered = false

  /// Ends the span.
  /// - Parameters:
  ///   - error: why the load goes on without it, or ends; nil where that is no failure.
  ///   - fallback: the error's type where there is a failure that nobody has told of.
  func end(_ error: (any Error)?, fallback: String? = nil) {
    if let transaction { span.record(transaction) }
    let failure = isAnswered ? nil : error.map { ErrorType.name(of: $0) }
    // A status that says so goes before (OpenTelemetry's conventions for HTTP).
    span.fail(with: ErrorType.name(of: transaction?.status) ?? failure ?? fallback)
    guard let date = transaction?.end else { return span.end() }
    let nanoseconds = max(0, date.timeIntervalSince1970 * 1e9)
    span.end(at: DefaultTracerClock.Timestamp(nanosecondsSinceEpoch: UInt64(nanoseconds)))
  }
}

extension Span {
  /// Records what is known of a request as it begins; samplers decide by it.
  func record(_ request: URLRequest?, _ description: RequestDescription, showsQueryValues: Bool) {
    updateAttributes { attributes in
      if description.isHTTP {
        attributes["http.request.method"] = description.method
        if let original = description.originalMethod { attributes["http.request.method_original"] = original }
      } else {
        attributes["url.scheme"] = description.scheme
      }
      if let url = request?.url {
        attributes["url.full"] = RedactedURL.text(of: url, showsQueryValues: showsQueryValues)
      }
      if let address = description.address { attributes["server.address"] = address }
      if let port = description.port { attributes["server.port"] = port }
    }
  }

  /// Records what is known of its answer.
  func record(_ transaction: TransactionDescription) {
    updateAttributes { attributes in
      if let status = transaction.status { attributes["http.response.status_code"] = status }
      if let version = transaction.version { attributes["network.protocol.version"] = version }
      if let address = transaction.peerAddress { attributes["network.peer.address"] = address }
      if let port = transaction.peerPort { attributes["network.peer.port"] = port }
    }
  }

  /// Marks it as a failure; not for nil.
  func fail(with type: String?) {
    guard let type else { return }
    attributes["error.type"] = type
    setStatus(SpanStatus(code: .error))
  }
}
