/// What an attempt has to do with the cache.
struct AttemptCaching {
  /// The request as the rules see it, without the fields that were added to validate.
  let request: CacheRequest
  let key: CacheKey
  /// When the request was sent.
  let requestDate: Date
  /// The fields that were set to validate or to complete what is stored.
  var conditions: [Condition] = []
  /// All that was found.
  var found: [FoundEntry] = []
  /// Which of that is being validated.
  var validating: [FoundEntry] = []
  /// What may answer if the attempt fails.
  var fallback: FoundEntry?
  /// What lacks the bytes that are asked for.
  var completing: FoundEntry?
  /// Stores the response that comes.
  var recorder: CacheRecorder?
  /// What follows when the instance has finished, where its response, a 304, is not for the program.
  var end: End?

  enum End: Sendable {
    /// It says that this is valid.
    case confirmed(FoundEntry)
    /// It is about nothing that is stored: the request is made again.
    case reload
    /// Its body, which the recorder collects, completes what is stored.
    case completed(CachedPart)
  }

  /// A field that was set on the request, and the value that the program had given to it.
  struct Condition: Sendable {
    let name: String
    let own: String?
  }

  /// Sets a field for the cache.
  mutating func set(_ field: (name: String, value: String), on request: inout URLRequest) {
    conditions.append(Condition(name: field.name, own: request.value(forHTTPHeaderField: field.name)))
    request.setValue(field.value, forHTTPHeaderField: field.name)
  }

  /// Takes back what was set.
  func removeConditions(from request: inout URLRequest) {
    for condition in conditions.reversed() { request.setValue(condition.own, forHTTPHeaderField: condition.name) }
  }
}

/// An entry, and the store that has it.
struct FoundEntry: Sendable {
  var entry: URLCacheEntry
  let store: any URLCacheStore
}
