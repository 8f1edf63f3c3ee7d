import URLLoading

/// The delegate: reports progress, and moves the finished file to its place.
///
/// Mutable state: `moveError`, used on the session's delegate queue alone.
final class DownloadWatcher: NSObject, URLSessionDownloadDelegate, @unchecked Sendable {
  private let target: URL
  private let half = AsyncStream<Void>.makeStream()
  private let end = AsyncStream<(any Error)?>.makeStream()
  private var moveError: (any Error)?

  init(target: URL) {
    self.target = target
  }

  func waitUntilHalf() async {
    for await _ in half.stream { return }
  }

  func waitUntilWhole() async -> (any Error)? {
    for await error in end.stream { return error }
    return nil
  }

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
    totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
  ) {
    if totalBytesWritten * 2 >= totalBytesExpectedToWrite { half.continuation.finish() }
  }

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didResumeAtOffset fileOffset: Int64,
    expectedTotalBytes: Int64
  ) {
    print("goes on at byte \(fileOffset) of \(expectedTotalBytes)")
  }

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
  ) {
    do {
      try? FileManager.default.removeItem(at: target)
      try FileManager.default.moveItem(at: location, to: target)
    } catch {
      moveError = error
    }
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    half.continuation.finish()
    // The first task ends by being cancelled, as it should.
    if (error as? URLError)?.code == .cancelled { return }
    end.continuation.yield(error ?? moveError)
    end.continuation.finish()
  }
}
