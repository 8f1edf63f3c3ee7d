import Foundation
public import URLLoading
internal import URLLoadingBase
internal import URLLoadingX509

/// Keeps responses in Redis or Valkey, where all servers of a fleet find what one has loaded.
///
/// The store is a shared cache (RFC 9111, sections 3 and 3.5): nothing is kept in it that was asked for with `Authorization`, unless the
/// response allows that, nothing `private` and nothing with `Set-Cookie`; `s-maxage` and `proxy-revalidate` count. Of many that miss the
/// same response at once, in whatever process, one asks its source.
///
/// ```swift
/// let store = try RedisCacheStore(url: URL(string: "redis://cache.example.org/1")!)
/// let configuration = URLSessionConfiguration.default
/// configuration.urlCache = URLCache(store: store)
/// ```
///
/// A server that is dead, slow or full costs hits, and a wait of at most ``Options/timeout``, never a load. Redis removes what was not used
/// for longest when it is configured with `maxmemory` and `maxmemory-policy allkeys-lru`.
///
/// Mutable state: `state`, guarded by its lock; the connection guards its own.
public final class RedisCacheStore: URLCacheStore {
  /// How a store behaves.
  public struct Options: Sendable {
    /// What the names of all keys begin with. Stores with one prefix share what they have.
    public var prefix = "url-loading"
    /// How long an answer of Redis may take. After a failure nothing is asked for a second.
    public var timeout = Duration.milliseconds(250)
    /// How long an entry is kept after it was stored or validated.
    public var lifetime = Duration.seconds(86_400)
    /// How long a load may take, when it misses, before others that miss the same do not wait for it any longer.
    public var lease = Duration.seconds(10)
    /// How long a load waits for another one that loads the same. Then it asks the source itself.
    public var waitLimit = Duration.seconds(5)
    /// Bytes of which a response may take a twentieth. What all of them take is limited by Redis alone.
    public var capacity = 200_000_000

    /// The defaults.
    public init() {}
  }

  private struct State: Sendable {
    var capacity: Int
    var usage = 0
  }

  let options: Options
  let connection: RedisConnection
  private let state: Locked<State>

  /// Bodies up to this length, in bytes, come with their heads, in one answer.
  private static let largestInline = 16 << 10

  /// Makes a store; the connection is made when something is asked.
  /// - Parameters:
  ///   - url: `redis://[[user]:password@]host[:port][/database]`, or `unix:///path[?db=database]`.
  ///   - options: how it behaves.
  /// - Throws: `URLError.badURL` or `.unsupportedURL`, with words.
  public init(url: URL, options: Options = Options()) throws {
    self.options = options
    connection = RedisConnection(try RedisAddress(url), timeout: options.timeout)
    state = Locked(State(capacity: options.capacity))
  }

  deinit { connection.close() }

  /// True.
  public var isShared: Bool { true }

  /// Bytes of which a response may take a twentieth.
  public var capacity: Int {
    get { state.withLock { $0.capacity } }
    set { state.withLock { $0.capacity = max(0, newValue) } }
  }

  /// Bytes that Redis uses for all that it keeps, as of the last look at it; each access has it looked at anew.
  public var usage: Int {
    connection.send(RedisCommand("INFO", "memory")) { [weak self] reply in
      let line = reply?.text?.split(whereSeparator: \.isNewline).first { $0.hasPrefix("used_memory:") }
      guard let self, let number = line.flatMap({ Int($0.dropFirst("used_memory:".count)) }) else { return }
      state.withLock { $0.usage = number }
    }
    return state.withLock { $0.usage }
  }

  // MARK: Finding

  /// Finds what Redis has under a key; nothing where it does not answer in time.
  public func entries(for key: String, completionHandler: @escaping @Sendable ([URLCacheEntry]) -> Void) {
    connection.send(RedisCommand("HGETALL", RedisCommand.Word(name(key)))) { reply in
      completionHandler(Self.entries(of: reply?.elements ?? [], key: key))
    }
  }

  private static func entries(of fields: [RedisReply], key: String) -> [URLCacheEntry] {
    var values: [String: Data] = [:]
    for index in stride(from: 0, to: fields.count - 1, by: 2) {
      if let name = fields[index].text, let value = fields[index + 1].data { values[name] = value }
    }
    return values.compactMap { name, head in
      guard name.hasPrefix("h:"), var entry = URLCacheEntry(archived: head), entry.key == key,
        "h:\(entry.id)" == name
      else { return nil }
      if let body = values["b:\(entry.id)"] {
        guard Int64(body.count) == entry.bodyLength else { return nil }
        entry.body = .data(body)
      }
      return entry
    }
  }

  /// Finds a body: in the entry, or by another look.
  public func body(of entry: URLCacheEntry, completionHandler: @escaping @Sendable (URLCacheBody?) -> Void) {
    if let body = entry.body { return completionHandler(body) }
    connection.send(
      RedisCommand("GET", RedisCommand.Word("\(name(entry.key)):\(entry.id)")), expecting: entry.bodyLength
    ) {
      reply in
      if let data = reply?.data, Int64(data.count) == entry.bodyLength { return completionHandler(.data(data)) }
      self.entries(for: entry.key) { entries in completionHandler(entries.first { $0.id == entry.id }?.body) }
    }
  }

  // MARK: Storing

  /// Collects a body in memory; Redis gets it whole.
  public func writer(for entry: URLCacheEntry, expectedLength: Int64) -> (any URLCacheWriter)? {
    let limit = capacity
    guard !entry.staysInMemory, expectedLength <= limit else { return nil }
    return MemoryCacheWriter(limit: limit, expectedLength: expectedLength) { [self] entry, body, replaced in
      store(entry, body, replacing: replaced)
    }
  }

  private func store(_ entry: URLCacheEntry, _ body: Data, replacing replaced: [URLCacheEntry]) {
    let arguments: [RedisCommand.Word] = [
      .init(entry.id), .init(entry.archived()), .init(body), body.count <= Self.largestInline ? "1" : "0",
      .init(options.lifetime.milliseconds), .init(String(Date().timeIntervalSince1970)),
    ]
    run(RedisScripts.store, name(entry.key), arguments + replaced.map { .init($0.id) })
  }

  /// Replaces the head of an entry, for all that share the store.
  public func replace(_ entry: URLCacheEntry) {
    run(
      RedisScripts.replace, name(entry.key),
      [.init(entry.id), .init(entry.archived()), .init(options.lifetime.milliseconds)])
  }

  /// Removes entries, for all that share the store.
  public func remove(_ entries: [URLCacheEntry]) {
    for (key, entries) in Dictionary(grouping: entries, by: \.key) {
      run(RedisScripts.remove, name(key), entries.map { .init($0.id) })
    }
  }

  /// Removes all entries with a key, for all that share the store.
  public func removeAll(for key: String) {
    // Larger bodies of what is removed are found no more, and expire.
    connection.send(RedisCommand("DEL", RedisCommand.Word(name(key)))) { _ in }
  }

  /// Removes what was stored after a date, or everything with the prefix, for all that share the store. Goes through all keys of Redis.
  public func removeAll(since date: Date?) { remove(since: date, from: "0") {} }

  /// Calls the handler when Redis has answered all that was sent before, or has failed.
  public func flush(completionHandler: @escaping @Sendable () -> Void) {
    // Answers come in the order of the commands.
    connection.send(RedisCommand("PING")) { _ in completionHandler() }
  }

  /// Goes through all keys, a thousand at a time.
  private func remove(since date: Date?, from cursor: String, completion: @escaping @Sendable () -> Void) {
    let pattern = "\(Self.escaped(options.prefix)):*"
    let scan = RedisCommand("SCAN", .init(cursor), "MATCH", .init(pattern), "COUNT", "1000")
    connection.send(scan) { [self] reply in
      guard let elements = reply?.elements, elements.count == 2, let next = elements[0].text else {
        return completion()
      }
      let names = elements[1].elements.compactMap(\.text)
      if let date {
        let time = RedisCommand.Word(String(date.timeIntervalSince1970))
        for name in names where name.hasSuffix("}") { run(RedisScripts.removeSince, name, [time]) }
      } else if !names.isEmpty {
        connection.send(RedisCommand(["UNLINK"] + names.map { .init($0) })) { _ in }
      }
      next == "0" ? completion() : remove(since: date, from: next, completion: completion)
    }
  }

  func run(_ script: String, _ key: String, _ arguments: [RedisCommand.Word]) {
    connection.send(RedisCommand(script: script, key: key, arguments)) { reply in
      guard case .error(let message) = reply else { return }
      StorageWarning.write("Redis does not keep responses: \(message)")
    }
  }

  // MARK: Names

  /// The name of an entry's hash. URLs are of any length, and may have secrets that lists of keys should not show. What stands in braces
  /// chooses the server of a cluster.
  func name(_ key: String) -> String { "\(options.prefix):{\(Digest.hexadecimalSHA256(of: key))}" }

  /// In patterns of SCAN some characters have a meaning.
  private static func escaped(_ text: String) -> String {
    text.reduce(into: "") { result, character in
      if "*?[]\\".contains(character) { result.append("\\") }
      result.append(character)
    }
  }
}

extension Duration {
  var milliseconds: Int {
    // What Redis takes for a time that never comes.
    let longest: Int64 = 1 << 40
    return Int(min(max(components.seconds, 0), longest) * 1000 + components.attoseconds / 1_000_000_000_000_000)
  }
}
