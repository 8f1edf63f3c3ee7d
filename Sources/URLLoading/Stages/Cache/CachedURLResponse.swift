import Foundation

// Safe to share: nothing changes after init. As on Apple's systems, who puts objects into `userInfo` answers
// for their being safe to share.
/// A response with its body, as a cache keeps it.
open class CachedURLResponse: NSObject, NSSecureCoding, NSCopying, ShadowableMembers, @unchecked Sendable {
  /// The response.
  open var response: URLResponse { contents.response }

  /// The body.
  open var data: Data { contents.data }

  /// What the application wants to keep with the response.
  open var userInfo: [AnyHashable: Any]? { contents.userInfo }

  /// Where the response may be kept.
  open var storagePolicy: URLCache.StoragePolicy { contents.storagePolicy }

  /// The entry of a cache that this was made of.
  let origin: URLCacheEntry?

  private let contents:
    (response: URLResponse, data: Data, userInfo: [AnyHashable: Any]?, storagePolicy: URLCache.StoragePolicy)

  /// A response that may be kept in memory and on disk.
  public init(response: URLResponse, data: Data) {
    contents = (response, data, nil, .allowed)
    origin = nil
  }

  /// What a cache has stored.
  init(_ entry: URLCacheEntry, _ data: Data) {
    let info = entry.userInfo.flatMap { PropertyListReader.dictionary(from: $0) }
    contents = (entry.response, data, info, entry.staysInMemory ? .allowedInMemoryOnly : .allowed)
    origin = entry
  }

  /// A response.
  ///
  /// - Parameters:
  ///   - response: the response.
  ///   - data: its body.
  ///   - userInfo: what the application wants to keep with it.
  ///   - storagePolicy: where it may be kept.
  public init(
    response: URLResponse, data: Data, userInfo: [AnyHashable: Any]? = nil,
    storagePolicy: URLCache.StoragePolicy
  ) {
    contents = (response, data, userInfo, storagePolicy)
    origin = nil
  }

  init?(archivedBy coder: NSCoder) {
    guard let list = PropertyListArchive.decode(from: coder), let data = list["data"] as? Data,
      let policy = (list["storagePolicy"] as? Int).flatMap(UInt.init(exactly:)).flatMap(URLCache.StoragePolicy.init),
      let response = URLResponse.nested(list["response"])
    else { return nil }
    contents = (response, data, list["userInfo"] as? [String: Any], policy)
    origin = nil
  }

  /// Archives the object. Of `userInfo` it keeps what a property list can hold, under keys that are strings.
  open func encode(with coder: NSCoder) {
    var list: [String: Any] = [
      "data": data, "storagePolicy": Int(storagePolicy.rawValue), "response": response.nestedList,
    ]
    list["userInfo"] = storableUserInfo
    PropertyListArchive.encode(list, with: coder)
  }

  /// Of `userInfo` what a property list can hold, under keys that are strings.
  private var storableUserInfo: [String: Any]? {
    guard let userInfo else { return nil }
    let pairs = userInfo.compactMap { key, value in (key.base as? String).map { ($0, value) } }
    return Dictionary(pairs) { first, _ in first }.filter {
      PropertyListSerialization.propertyList($0.value, isValidFor: .binary)
    }
  }

  /// The same as a property list, as stores keep it.
  var archivedUserInfo: Data? {
    guard let info = storableUserInfo, !info.isEmpty else { return nil }
    return try? PropertyListSerialization.data(fromPropertyList: info, format: .binary, options: 0)
  }

  /// Always true.
  open class var supportsSecureCoding: Bool { true }

  /// The object itself: it cannot change.
  open override func copy() -> Any { self }

  /// The object itself: it cannot change.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// Whether response, body and policy are the same; `userInfo` does not count, since its values need not be
  /// comparable.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? CachedURLResponse else { return false }
    return other === self
      || storagePolicy == other.storagePolicy && response == other.response && data == other.data
  }

  open override var hash: Int {
    var hasher = Hasher()
    hasher.combine(response)
    hasher.combine(storagePolicy)
    return hasher.finalize()
  }

  /// The response and the length of the body.
  open override var description: String {
    "<\(type(of: self))> { response: \(response), data: \(data.count) bytes, storage policy: \(storagePolicy) }"
  }
}

extension ShadowableMembers where Self: CachedURLResponse {
  // Not required of subclasses: FoundationNetworking's class has none.
  /// Reads an archived response; nil if it is damaged, and for a subclass.
  public init?(coder: NSCoder) {
    self.init(made: { CachedURLResponse(archivedBy: coder) })
  }
}
