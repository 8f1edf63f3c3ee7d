import URLLoading

// Safe to share: it adds no state.
/// For loads without a delegate that could answer: without the method for challenges, a session need not ask about each connection.
final class QuietDelegate: ExchangeDelegate, URLSessionTaskDelegate, @unchecked Sendable {}
