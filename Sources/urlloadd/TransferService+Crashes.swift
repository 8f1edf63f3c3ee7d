import Foundation
import URLLoading

/// Tasks that the service has crashed by.
extension TransferService {
  /// Says what is being loaded, before it is.
  func recordLoading() {
    guard queue.loading != noted else { return }
    noted = queue.loading
    options.recordsLoading(noted)
  }

  /// A task has crashed an earlier service a second time. A program may try to resume it.
  func endTask(_ number: Int, by crash: CrashRecord.Crash) {
    guard let job = queue.jobs[number] else { return }
    let words =
      "The transfer service has crashed twice while it loaded this, and loads it no more (signal \(crash.signal))."
    let error = URLError(.backgroundSessionWasDisconnected, message: words, url: nil)
    fail(job, BackgroundFailure(error), resumeData: stored(number)?.resumption?.data)
  }
}
