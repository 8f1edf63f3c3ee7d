import Foundation

// Safe to share: nothing changes after init. As on Apple's systems, who puts objects into `userInfo` answers
// for their being safe to share.
/// A response with its body, as a cache keeps it.
open class CachedURLResponse: NSObject, NSCopying, @unchecked Sendable {
  /// The response.
  open var response: URLResponse { contents.response }

  /// The body.
  open var data: Data { contents.data }

  /// What the application wants to keep with the response.
  open var userInfo: [AnyHashable: Any]? { contents.userInfo }

  /// Where the response may be kept.
  open var storagePolicy: URLCache.StoragePolicy { contents.storagePolicy }

  private let contents:
    (response: URLResponse, data: Data, userInfo: [AnyHashable: Any]?, storagePolicy: URLCache.StoragePolicy)

  /// A response that may be kept in memory and on disk.
  public init(response: URLResponse, data: Data) {
    contents = (response, data, nil, .allowed)
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
  }

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
}
