// Safe to share: it adds no stored property to URLSessionTask.
/// A task that sends a body, and gives the answer's like a data task.
open class URLSessionUploadTask: URLSessionDataTask, @unchecked Sendable {}
