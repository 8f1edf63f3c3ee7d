/// What a download task reports to its owner.
@preconcurrency
public protocol URLSessionDownloadDelegate: URLSessionTaskDelegate {
  /// The download is whole, in a temporary file that is removed when this call returns: move it, or open it.
  func urlSession(_ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL)

  /// Bytes were written. Counts are in bytes; the expected total is -1 when it is not known. When a changed resource
  /// makes a resumed download start again, the total falls back.
  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
    totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64)

  /// The download resumes an earlier one.
  /// - Parameters:
  ///   - session: the task's session.
  ///   - downloadTask: the task that resumes.
  ///   - fileOffset: bytes that are there already; 0 when the resource changed and the download starts again.
  ///   - expectedTotalBytes: the size of the whole, or -1.
  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didResumeAtOffset fileOffset: Int64,
    expectedTotalBytes: Int64)
}

extension URLSessionDownloadDelegate {
  /// Does nothing.
  public func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
  ) {
    DelegateProbe.reachedDefault(of: self, .file)
  }

  /// Does nothing.
  public func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
    totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
  ) {
    DelegateProbe.reachedDefault(of: self, .wrote)
  }

  /// Does nothing.
  public func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didResumeAtOffset fileOffset: Int64,
    expectedTotalBytes: Int64
  ) {
    DelegateProbe.reachedDefault(of: self, .resumedAt)
  }
}
