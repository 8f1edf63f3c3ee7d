// Safe to share: it adds no stored property to URLSessionTask.
/// A task that gives both directions of a TCP connection to its owner.
open class URLSessionStreamTask: URLSessionTask, @unchecked Sendable {}
