import Foundation
import URLLoading

extension URLError {
  /// A file of the service cannot be written.
  /// - Parameter reason: the error's number, which ``RetryPolicy`` goes by.
  static func cannotWrite(_ path: String, _ reason: Int32) -> URLError {
    URLError(
      .cannotWriteToFile, message: "\(path) cannot be written: \(String(cString: strerror(reason))).", url: nil,
      underlying: POSIXError(POSIXErrorCode(rawValue: reason) ?? .EIO))
  }
}
