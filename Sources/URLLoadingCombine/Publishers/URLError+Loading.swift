import Foundation
import URLLoading

extension URLError {
  /// The error of a publisher for one of a load: itself where it is of the URL loading system, else `unknown`, with the other as the
  /// underlying error.
  init(ofLoad error: (any Error)?) {
    guard let error else {
      self = URLError(.unknown)
      return
    }
    if let error = error as? URLError {
      self = error
      return
    }
    // A protocol class may report an NSError; it is no URLError for `as?` on Linux.
    let object = error as NSError
    let isOfLoads = object.domain == NSURLErrorDomain
    self =
      isOfLoads
      ? URLError(URLError.Code(rawValue: object.code) ?? .unknown, userInfo: object.userInfo)
      : URLError(.unknown, userInfo: [NSUnderlyingErrorKey: error])
  }
}
