import Foundation
import URLLoading
internal import URLLoadingBase

/// Which failures of a transfer may pass, and when it is tried again.
enum RetryPolicy {
  /// In seconds.
  static let longestDelay = 300.0

  /// Seconds until a task is tried again that the service may have crashed by.
  static let delayAfterCrash = 10.0

  /// Seconds until the next try: 1, 2, 4 … 300.
  static func delay(afterFailures count: Int) -> Double { min(longestDelay, Double(1 << min(max(0, count - 1), 10))) }

  /// Whether another try may succeed: the network and the disk come back, and so does what the system has none left of; an
  /// URL that is wrong stays so.
  static func isTransient(_ error: any Error) -> Bool {
    if isOfShortage(error) { return true }
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

  /// Whether the system had no descriptor, no thread, no memory or no room on a disk left, whatever that kept from being done.
  private static func isOfShortage(_ error: any Error) -> Bool {
    var next: NSError? = error as NSError
    // An error may be its own cause.
    for _ in 0..<8 {
      guard let error = next else { return false }
      if error.domain == NSPOSIXErrorDomain {
        let reason = Int32(truncatingIfNeeded: error.code)
        return SystemShortage.isOne(reason) || [ENOSPC, EDQUOT, EAGAIN].contains(reason)
      }
      next = (error.userInfo[NSUnderlyingErrorKey] as? any Error).map { $0 as NSError }
    }
    return false
  }
}
