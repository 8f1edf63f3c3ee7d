import Foundation
import URLLoading

/// Schemes that the service may have by plugins.
extension TransferService {
  /// Why the service does not load a request; nil where it does.
  func flaw(of request: URLRequest) -> BackgroundFailure? {
    guard let flaw = URLProtocol.flawInService(of: request) else { return nil }
    var failure = BackgroundFailure(flaw)
    if flaw.code == .unsupportedURL, let words = options.plugins.words { failure.description += " \(words)" }
    return failure
  }
}
