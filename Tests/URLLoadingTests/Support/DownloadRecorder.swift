import Foundation
import URLLoading
import URLLoadingTestServers

/// A download delegate that writes down what it is told, and keeps the file.
///
/// Mutable state: in `log`, which guards it.
final class DownloadRecorder: NSObject, URLSessionDownloadDelegate {
  struct Log: Sendable {
    var calls: [String] = []
    /// Offset and total of `didResumeAtOffset`.
    var resumed: [[Int64]] = []
    /// New bytes, total and expected total of `didWriteData`.
    var written: [[Int64]] = []
    var file: URL?
    var response: URLResponse?
    var error: URLError?
    var isComplete = false
  }

  let log = Watched(Log())
  private let directory: TemporaryDirectory

  init(_ directory: TemporaryDirectory) {
    self.directory = directory
  }

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
  ) {
    let kept = directory.file("download-\(UInt64.random(in: 0 ... .max))")
    try? FileManager.default.moveItem(at: location, to: kept)
    log.update {
      $0.calls.append("finish")
      $0.file = kept
    }
  }

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
    totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
  ) {
    log.update {
      if $0.calls.last != "write" { $0.calls.append("write") }
      $0.written.append([bytesWritten, totalBytesWritten, totalBytesExpectedToWrite])
    }
  }

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didResumeAtOffset fileOffset: Int64,
    expectedTotalBytes: Int64
  ) {
    log.update {
      $0.calls.append("resume")
      $0.resumed.append([fileOffset, expectedTotalBytes])
    }
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    log.update {
      $0.calls.append("complete")
      $0.error = error as? URLError
      $0.response = task.response
      $0.isComplete = true
    }
  }

  /// What was told up to the end; nil when there was none in time.
  func completed(timeout: Duration = .seconds(Sanitizing.isOn ? 60 : 20)) async -> Log? {
    await log.wait(timeout: timeout) { $0.isComplete } ? log.value : nil
  }
}
