/// The key of resume data in the `userInfo` of a failed upload's error. No upload gives any yet.
public let NSURLSessionUploadTaskResumeData = "NSURLSessionUploadTaskResumeData"

// Safe to share: it adds no stored property to URLSessionTask.
/// A task that sends a body, and gives the answer's like a data task.
open class URLSessionUploadTask: URLSessionDataTask, @unchecked Sendable {
  /// Cancels the upload and gives what a later one needs to continue where this one stopped.
  /// - Parameter completionHandler: gets nil when the upload cannot be resumed, as none can yet. May be called on any thread.
  open func cancel(byProducingResumeData completionHandler: @escaping @Sendable (Data?) -> Void) {
    load.cancel(self, producingResumeData: completionHandler)
  }

  /// The async form of ``cancel(byProducingResumeData:)``.
  open func cancelByProducingResumeData() async -> Data? {
    await withUnsafeContinuation { continuation in
      cancel { continuation.resume(returning: $0) }
    }
  }
}
