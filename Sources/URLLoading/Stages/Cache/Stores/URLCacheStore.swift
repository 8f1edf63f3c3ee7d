/// Where a ``URLCache`` keeps responses: in memory, on disk, or elsewhere.
///
/// A store keeps entries and finds them by key; the caching rules decide what to store and what to serve. No call but
/// ``usage`` blocks: results are passed to handlers, on any thread, possibly before the call returns. No call fails: a
/// corrupt, full or slow store finds nothing, and drops what it cannot keep. It never returns an incomplete body. No
/// key is a URL with a password: such responses stay in the memory of the process.
public protocol URLCacheStore: AnyObject, Sendable {
  /// Whether several users share what is stored: then the rules for shared caches hold (RFC 9111, section 3). False by default.
  var isShared: Bool { get }

  /// Bytes that bodies and heads may take. What was not used for longest goes first.
  var capacity: Int { get set }

  /// Bytes that bodies and heads take.
  var usage: Int { get }

  /// Finds the entries with a key.
  func entries(for key: String, completionHandler: @escaping @Sendable ([URLCacheEntry]) -> Void)

  /// Finds the body of an entry, and counts the entry as used. Nil where it is no longer there, or not whole.
  func body(of entry: URLCacheEntry, completionHandler: @escaping @Sendable (URLCacheBody?) -> Void)

  /// Begins to store an entry, which is found when its writer has finished.
  ///
  /// `expectedLength`: bytes of the body; -1 if that is not known.
  /// - Returns: nil where the store does not take it.
  func writer(for entry: URLCacheEntry, expectedLength: Int64) -> (any URLCacheWriter)?

  /// Claims the load of what the store lacks, or has only to be validated: of all that share the store one loads at a time. The handler
  /// gets a claim, or nil where nobody has to wait for anybody, at once or after a limit; then the store is asked again. By default at
  /// once, with nil.
  func claim(_ key: String, completionHandler: @escaping @Sendable (URLCacheClaim?) -> Void)

  /// Replaces the head of an entry that is there; its body stays.
  func replace(_ entry: URLCacheEntry)

  /// Removes entries, by their identifiers.
  func remove(_ entries: [URLCacheEntry])

  /// Removes all entries with a key.
  func removeAll(for key: String)

  /// Removes what was stored after a date; nil for everything.
  func removeAll(since date: Date?)

  /// Calls the handler when all that was given before is where it lasts.
  func flush(completionHandler: @escaping @Sendable () -> Void)
}

extension URLCacheStore {
  /// False.
  public var isShared: Bool { false }

  /// Calls the handler at once with nil.
  public func claim(_ key: String, completionHandler: @escaping @Sendable (URLCacheClaim?) -> Void) {
    completionHandler(nil)
  }

  /// Calls the handler at once.
  public func flush(completionHandler: @escaping @Sendable () -> Void) { completionHandler() }
}

/// Takes the body of an entry that is being stored, piece by piece: one call at a time. The entry appears when it has finished, and never
/// where it was dropped.
public protocol URLCacheWriter: AnyObject, Sendable {
  /// Takes the next bytes.
  func write(_ bytes: UnsafeRawBufferPointer)

  /// The body is whole.
  /// - Parameters:
  ///   - entry: the entry, with the length of its body.
  ///   - replaced: entries with the same key that go in the same step.
  func finish(_ entry: URLCacheEntry, replacing replaced: [URLCacheEntry])

  /// The body will not be whole: drops what was written. Nothing happens after the finish.
  func cancel()
}

/// The body of a stored response.
@frozen public enum URLCacheBody: Sendable {
  /// All bytes.
  case data(Data)
  /// What reads them piece by piece.
  case reader(any URLCacheReader)
}

/// Reads the body of a stored response, also after its entry was removed. Calls may block.
public protocol URLCacheReader: AnyObject, Sendable {
  /// Bytes of the body.
  var length: Int64 { get }

  /// Reads from a position on.
  /// - Returns: how many bytes were read: as many as the buffer takes, unless the body ends before.
  /// - Throws: where they cannot be read. A load that delivers the body fails then: with this error if it is a `URLError`, else with
  ///   `URLError.networkConnectionLost` and this error below it.
  func read(into buffer: UnsafeMutableRawBufferPointer, at position: Int64) throws -> Int

  /// Makes sure that a range can be read, from its start on as far as milliseconds go. Called once before a response is delivered, when the
  /// load can still turn to the source. By default nothing is checked.
  /// - Throws: where it cannot be read. The load removes the entry from its store, and asks the cache again.
  func check(_ range: Range<Int64>) throws
}

extension URLCacheReader {
  /// Checks nothing.
  public func check(_ range: Range<Int64>) throws {}
}
