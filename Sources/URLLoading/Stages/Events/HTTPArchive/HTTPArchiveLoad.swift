/// What the archive knows of a load that runs.
struct HTTPArchiveLoad {
  /// A transaction that is over.
  struct Finished {
    let transaction: URLSessionTaskTransactionMetrics
    let body: HTTPArchiveBody?
    let comment: String?
  }

  /// The body of the running transaction, as far as it is kept.
  private var body: HTTPArchiveBody?
  /// Why the cache answers, for the transaction that has its answer.
  var cacheComment: String?
  /// The last transaction that is over, and not written.
  private(set) var finished: Finished?

  /// Ends the running transaction.
  /// - Returns: the one before it.
  mutating func finish(_ transaction: URLSessionTaskTransactionMetrics) -> Finished? {
    let isLocal = transaction.resourceFetchType == .localCache
    defer {
      finished = Finished(transaction: transaction, body: body, comment: isLocal ? cacheComment : nil)
      body = nil
      if isLocal { cacheComment = nil }
    }
    return finished
  }

  /// Keeps bytes of the body.
  mutating func keep(_ bytes: Data, limit: Int) {
    var kept = body ?? HTTPArchiveBody(limit: limit)
    body = nil
    kept.append(bytes)
    body = kept
  }
}
