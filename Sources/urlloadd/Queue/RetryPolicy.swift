import Foundation
import URLLoading

/// Which failures of a transfer may pass, and when it is tried again.
enum RetryPolicy {
  /// In seconds.
  static let longestDelay = 300.0

  /// Seconds until a task is tried again that the service may have crashed by.
  static let delayAfterCrash = 10.0

  /// Seconds until the next try: 1, 2, 4 … 300.
  static func delay(afterFailures count: Int) -> Double { min(longestDelay, Double(1 << min(max(0, count - 1), 10))) }

  /// Whether another try may succeed: the network and the disk come back, an URL that is wrong stays so.
  static func isTransient(_ error: any Error) -> Bool {
    let error = error as NSError
    guard error.domain == NSURLErrorDomain else { return false }
    switch URLError.Code(rawValue: error.code) {
    case .timedOut, .cannotFindHost, .cannotConnectToHost, .networkConnectionLost, .dnsLookupFailed,
      .notConnectedToInternet, .cannotLoadFromNetwork:
      return true
    case .cannotWriteToFile, .cannotCreateFile, .cannotCloseFile:
      // A disk that is full may have room again; what else keeps a file from being written stays.
      let reason = (error.userInfo[NSUnderlyingErrorKey] as? POSIXError)?.code
      return reason == .ENOSPC || reason == .EDQUOT || reason == .EIO || reason == .EFBIG
    default: return false
    }
  }
}
