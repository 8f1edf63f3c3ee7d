/// The key of resume data in the `userInfo` of a failed upload's error.
public let NSURLSessionUploadTaskResumeData = "NSURLSessionUploadTaskResumeData"

// Safe to share: it adds no stored property to URLSessionTask.
/// A task that sends a body, and gives the answer's like a data task.
///
/// An HTTP upload offers the server to make it resumable (draft-ietf-httpbis-resumable-upload), with fields that other
/// servers ignore. If the server agrees, the upload resumes automatically after an interruption, a few times; after
/// that, resume data lets a later task resume it.
open class URLSessionUploadTask: URLSessionDataTask, @unchecked Sendable {
  /// Cancels the upload and gives what a later one needs to continue where this one stopped.
  /// - Parameter completionHandler: gets nil when the upload cannot be resumed: the server has not announced that it supports that, or has
  ///   answered. May be called on any thread.
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
