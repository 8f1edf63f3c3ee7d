import Foundation

/// The namespace of `StoragePolicy`, until there is a cache.
open class URLCache: NSObject {
  /// Where a response may be kept.
  public enum StoragePolicy: UInt, Sendable {
    /// In memory and on disk.
    case allowed = 0
    /// In memory only.
    case allowedInMemoryOnly = 1
    /// Nowhere.
    case notAllowed = 2
  }

  /// Makes a cache that holds nothing. There for subclasses.
  public override init() {}
}
