internal import URLLoadingBase
internal import URLLoadingHTTPSemantics

/// The head of a stored response, and what the rules of caching need to know of the exchange that it comes from. The body is the store's
/// (``URLCacheStore/body(of:completionHandler:)``).
///
/// A store uses ``id``, ``key``, ``bodyLength`` and ``staysInMemory``, and keeps the rest unchanged, serialized by
/// ``archived()`` if necessary.
public struct URLCacheEntry: Sendable, Identifiable {
  /// Tells entries apart: 32 hexadecimal digits, chosen at random.
  public let id: String

  /// The key of the entry: the URL, preceded by the method and a space unless that is GET. Several entries with one key
  /// differ in the request fields that their `Vary` field names (RFC 9111, section 4.1), or are parts of one
  /// representation.
  public let key: String

  /// The response as the protocol class sent it.
  public internal(set) var response: URLResponse

  /// The length of the stored body in bytes.
  public internal(set) var bodyLength: Int64

  /// Whether the entry must not outlive the process.
  public let staysInMemory: Bool

  /// The body, where the store has it at hand when it finds the entry.
  public var body: URLCacheBody?

  /// When the request was sent, and when the response came (RFC 9111, section 4.2.3).
  var requestDate: Date
  var responseDate: Date
  /// The values that the request had in the fields that `Vary` names.
  var selectingFields: [SelectingField]
  /// What the program keeps with the response, as a property list.
  var userInfo: Data?

  init(
    id: String = URLCacheEntry.makeID(), key: String, response: URLResponse, bodyLength: Int64 = 0,
    staysInMemory: Bool = false, requestDate: Date, responseDate: Date, selectingFields: [SelectingField] = [],
    userInfo: Data? = nil
  ) {
    self.id = id
    self.key = key
    self.response = response
    self.bodyLength = bodyLength
    self.staysInMemory = staysInMemory
    self.requestDate = requestDate
    self.responseDate = responseDate
    self.selectingFields = selectingFields
    self.userInfo = userInfo
  }

  /// What a program gave to a cache of its own. Without an origin it is as old as its fields say.
  init(_ cached: CachedURLResponse, key: CacheKey) {
    let field = (cached.response as? HTTPURLResponse)?.agreedValue(of: "Date")
    let date = field.flatMap { HTTPDate.date(from: $0, now: Date()) } ?? Date()
    self.init(
      key: key.text, response: cached.response, bodyLength: Int64(cached.data.count), staysInMemory: true,
      requestDate: cached.origin?.requestDate ?? date, responseDate: cached.origin?.responseDate ?? date,
      selectingFields: cached.origin?.selectingFields ?? [])
    body = .data(cached.data)
  }

  private static func makeID() -> String {
    let (high, low) = (UInt64.random(in: 0 ... .max), UInt64.random(in: 0 ... .max))
    return [high, low].map { half in
      let digits = String(half, radix: 16)
      return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }.joined()
  }

  /// Bytes that the entry counts as beside its body: objects, and its place in tables.
  var overhead: Int {
    let fields = (response as? HTTPURLResponse)?.fields.fields ?? []
    return 512 + key.utf8.count + fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
      + (userInfo?.count ?? 0)
  }

  /// The head as the rules see it; nil for a response that is not HTTP's.
  var head: StoredHead? {
    guard let response = response as? HTTPURLResponse else { return nil }
    return StoredHead(
      statusCode: response.statusCode, fields: response.fields, requestDate: requestDate, responseDate: responseDate,
      selectingFields: selectingFields, part: response.contentRange, bodyLength: bodyLength)
  }

  /// An entry of its own for what a part has become with another one.
  func combined(_ head: StoredHead) -> URLCacheEntry {
    var entry = URLCacheEntry(
      key: key, response: response, bodyLength: head.bodyLength, staysInMemory: staysInMemory,
      requestDate: head.requestDate, responseDate: head.responseDate, userInfo: userInfo)
    entry.freshen(by: head)
    return entry
  }

  /// The entry with the fields that a shared store may have; nil where that may have nothing of it.
  func shareable(answering request: CacheRequest) -> URLCacheEntry? {
    guard let http = response as? HTTPURLResponse, let url = http.url else { return nil }
    let answer = CacheResponse(statusCode: http.statusCode, fields: http.fields, url: url)
    let storage = CacheRules(kind: .shared).storage(
      of: answer, to: request, requestDate: requestDate, responseDate: responseDate)
    guard case .store(let head) = storage else { return nil }
    var entry = self
    entry.freshen(by: head)
    return entry
  }

  /// Takes over what a validation has changed.
  mutating func freshen(by head: StoredHead) {
    guard let old = response as? HTTPURLResponse, let url = old.url else { return }
    response = HTTPURLResponse(
      url: url, statusCode: head.statusCode, httpVersion: old.httpVersion, fields: head.fields.fields,
      isReceived: old.isReceived)
    (requestDate, responseDate) = (head.requestDate, head.responseDate)
    selectingFields = head.selectingFields
  }
}
