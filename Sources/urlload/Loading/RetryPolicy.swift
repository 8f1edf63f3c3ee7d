import URLLoading
internal import URLLoadingBase
internal import URLLoadingHTTPSemantics

/// Whether a load that failed is tried again, and when.
struct RetryPolicy: Sendable {
  let retries: Int
  let method: String
  /// Seconds between attempts; nil for longer and longer ones.
  var fixedDelay: TimeInterval?

  /// The longest wait that a server can ask for, in seconds.
  static let longestWait: TimeInterval = 300

  /// RFC 9110, section 9.2.2: repeating these does no more than doing them once.
  private var isIdempotent: Bool { ["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE"].contains(method) }

  /// Seconds to wait before another attempt, or nil for none.
  /// - Parameter attempt: attempts that failed so far, from 1.
  func delay(after error: any Error, attempt: Int) -> TimeInterval? {
    guard attempt <= retries, let error = error as? URLError else { return nil }
    switch error.code {
    // Nothing reached the server, so any method may be retried.
    case .cannotConnectToHost, .cannotFindHost, .dnsLookupFailed, .notConnectedToInternet: return backOff(attempt)
    case .timedOut, .networkConnectionLost: return isIdempotent ? backOff(attempt) : nil
    default: return isIdempotent && Self.isTransientReply(error) ? backOff(attempt) : nil
    }
  }

  /// An FTP server's reply says that the condition is temporary (RFC 959, section 4.2.1).
  private static func isTransientReply(_ error: URLError) -> Bool {
    let underlying = error.userInfo[NSUnderlyingErrorKey] as? NSError
    return (underlying?.userInfo["FTPReplyCode"] as? Int).map { (400..<500).contains($0) } ?? false
  }

  /// Seconds to wait before an attempt from the start, after one that could not be resumed; nil for none.
  /// - Parameter attempt: attempts that failed so far, from 1.
  func delayBeforeRestart(attempt: Int) -> TimeInterval? {
    attempt <= retries && isIdempotent ? backOff(attempt) : nil
  }

  /// Seconds to wait before another attempt, or nil for none.
  /// - Parameters:
  ///   - retryAfter: the field of that name (RFC 9110, section 10.2.3).
  ///   - attempt: attempts that failed so far, from 1.
  func delay(afterStatus status: Int, retryAfter: String?, attempt: Int, now: Date = Date()) -> TimeInterval? {
    guard attempt <= retries else { return nil }
    switch status {
    case 429: break
    case 408, 500, 502, 503, 504: guard isIdempotent else { return nil }
    default: return nil
    }
    guard let wait = retryAfter.flatMap({ Self.seconds($0, now: now) }) else { return backOff(attempt) }
    return wait <= Self.longestWait ? wait : nil
  }

  /// Exponential: 0.5 seconds, then twice as long each time, 30 at most.
  private func backOff(_ attempt: Int) -> TimeInterval {
    fixedDelay ?? min(30, 0.5 * Double(1 << min(10, attempt - 1)))
  }

  /// `Retry-After` is a number of seconds or a date.
  private static func seconds(_ field: String, now: Date) -> TimeInterval? {
    // A proxy may have joined several fields; a date has a comma of its own.
    if let seconds = field.split(separator: ",").first.flatMap({ UInt($0.trimmingFieldWhitespace) }) {
      return TimeInterval(seconds)
    }
    return HTTPDate.date(from: field, now: now).map { max(0, $0.timeIntervalSince(now)) }
  }
}
