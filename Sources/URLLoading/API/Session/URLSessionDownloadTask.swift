/// The key of resume data in the `userInfo` of a failed download's error.
public let NSURLSessionDownloadTaskResumeData = "NSURLSessionDownloadTaskResumeData"

/// The same key under the name that FoundationNetworking gives it.
public let URLSessionDownloadTaskResumeData = NSURLSessionDownloadTaskResumeData

/// The size of a body that is not known.
public let NSURLSessionTransferSizeUnknown: Int64 = -1

// Safe to share: it adds no stored property to URLSessionTask.
/// A task that writes its body to a temporary file.
open class URLSessionDownloadTask: URLSessionTask, @unchecked Sendable {
  /// Cancels the download and gives what a later one needs to continue where this one stopped.
  /// - Parameter completionHandler: gets nil when the resource cannot be resumed: the server gave no validator
  ///   or takes no byte ranges, or nothing came yet. May be called on any thread.
  @preconcurrency
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
