// Safe to share: it adds no stored property to URLSessionTask.
/// A WebSocket connection (RFC 6455).
open class URLSessionWebSocketTask: URLSessionTask, @unchecked Sendable {}
