// Safe to share: it adds no stored property to URLSessionTask.
/// A task that gives its body to a delegate, a completion handler or a caller, in memory.
open class URLSessionDataTask: URLSessionTask, @unchecked Sendable {}
