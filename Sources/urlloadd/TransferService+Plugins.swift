import Foundation
import URLLoading

/// Schemes that the service may have by plugins.
extension TransferService {
  /// Why the service does not load a request; nil where it does.
  func immediateFailure(of request: URLRequest) -> BackgroundFailure? {
    guard let error = URLProtocol.immediateErrorInService(of: request) else { return nil }
    var failure = BackgroundFailure(error)
    if error.code == .unsupportedURL, let words = options.plugins.words { failure.description += " \(words)" }
    return failure
  }

  /// What an earlier service had no class for is tried at once: this one has read the list of plugins anew.
  func retryTasksWithoutClass() {
    let now = ServiceClock.shared.now
    for job in queue.jobs.values where job.lacksClass { queue.retryNow(job.number, now: now) }
  }

  /// Whether tasks wait for a class that the next service may have by a plugin: one process has one version of each, which it loads at its
  /// start.
  var lacksPlugins: Bool { queue.jobs.values.contains(where: \.lacksClass) && options.hasNewPlugins() }
}
