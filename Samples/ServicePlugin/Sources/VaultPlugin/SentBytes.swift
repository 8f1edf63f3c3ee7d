import URLLoading

/// Reports what was sent of the upload behind a `vault` upload.
final class SentBytes: NSObject, URLSessionTaskDelegate {
  private let writer: AsyncURLProtocol.Writer

  init(_ writer: AsyncURLProtocol.Writer) { self.writer = writer }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
    totalBytesExpectedToSend: Int64
  ) {
    writer.reportUploadProgress(totalBytesSent: totalBytesSent)
  }
}
