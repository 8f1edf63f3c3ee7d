/// What an attempt has to do with the cache.
struct AttemptCaching {
  /// The request as the rules see it, without the fields that were added to validate.
  let request: CacheRequest
  let key: CacheKey
  /// When the request was sent.
  let requestDate: Date
  /// The names of the fields that were added to validate what is stored.
  var conditions: [String] = []
  /// All that was found.
  var found: [FoundEntry] = []
  /// Which of that is being validated.
  var validating: [FoundEntry] = []
  /// What may answer if the attempt fails.
  var fallback: FoundEntry?
  /// Stores the response that comes.
  var recorder: CacheRecorder?
  /// What follows when the instance has finished, where its response, a 304, is not for the program.
  var end: End?

  enum End: Sendable {
    /// It says that this is valid.
    case confirmed(FoundEntry)
    /// It is about nothing that is stored: the request is made again.
    case reload
  }
}

/// An entry, and the store that has it.
struct FoundEntry: Sendable {
  var entry: URLCacheEntry
  let store: any URLCacheStore
}
