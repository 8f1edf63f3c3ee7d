/// What the cache does in one attempt: it was asked about the request, it stores the response, or it answers in its place.
struct CacheStage: Sendable {
  /// What follows when the instance has finished, where its response is for the cache and not for the program.
  indirect enum End: Sendable {
    /// It says that this is valid.
    case confirmed(FoundEntry)
    /// It is about nothing that is stored: the request is made again.
    case reload
    /// Its body, which the recorder collects, completes what is stored.
    case completed(CachedPart)
    /// What is stored answers already, in its place.
    case answered
  }

  /// What follows when the instance has failed.
  enum FailureAction: Sendable {
    /// The failure is for the program.
    case pass
    /// What is stored answers already.
    case ignore
    /// What is stored is damaged: the cache is asked anew.
    case reload
    /// This may answer in place of the error, if the rules allow that.
    case fallBack(on: FoundEntry, AttemptCaching)
  }

  /// Nil where the cache has nothing to do with the attempt.
  private(set) var caching: AttemptCaching?
  /// Stores the response that comes.
  private(set) var recorder: CacheRecorder?
  /// Whether the instance sends what a cache has stored.
  private(set) var isStored = false
  /// Nil where the response is for the program.
  private var end: End?

  /// Whether what the instance sends is for the cache alone.
  var isWithheld: Bool { end != nil }

  // MARK: The request

  /// The attempt begins with an instance of the class that was chosen.
  mutating func begin(_ caching: AttemptCaching?) { self.caching = caching }

  /// An instance starts.
  mutating func begin(isStored: Bool) { self.isStored = isStored }

  /// Another request is made of the attempt's, without what was set on that for the cache.
  /// - Returns: the claim that ends thereby.
  func withdraw(from request: inout URLRequest) -> URLCacheClaim? {
    caching?.removeConditions(from: &request)
    return caching?.claim
  }

  // MARK: The response

  /// The response is stored as it comes.
  mutating func store(by recorder: CacheRecorder) { self.recorder = recorder }

  /// The response is about what is stored: it confirms that, or nothing.
  mutating func confirm(_ found: FoundEntry?) { end = found.map { .confirmed($0) } ?? .reload }

  /// The response has the rest of what is stored, or was refused.
  /// - Parameter recorder: collects the rest.
  mutating func complete(_ part: CachedPart?, by recorder: CacheRecorder?) {
    end = part.map { .completed($0) } ?? .reload
    self.recorder = recorder
  }

  /// What is stored answers in place of the instance.
  mutating func answer() { end = .answered }

  // MARK: The end

  /// The instance has finished.
  /// - Returns: what follows; nil where the response was for the program.
  func finished() -> (End, AttemptCaching)? {
    guard let end, let caching else { return nil }
    return (end, caching)
  }

  /// The instance has failed, ahead of a response.
  func failed() -> FailureAction {
    if case .answered = end { return .ignore }
    if isStored { return .reload }
    guard let caching, let fallback = caching.fallback else { return .pass }
    return .fallBack(on: fallback, caching)
  }

  /// Takes out what was asked and what was stored, to be released outside of locks.
  mutating func take() -> (AttemptCaching?, CacheRecorder?) { (caching.take(), recorder.take()) }

  /// Takes out what was asked, for another attempt.
  mutating func takeCaching() -> AttemptCaching? { caching.take() }

  /// Takes out what was stored, to be finished.
  mutating func takeRecorder() -> CacheRecorder? { recorder.take() }
}
