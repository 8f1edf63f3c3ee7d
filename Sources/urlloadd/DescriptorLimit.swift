import Foundation

/// How many descriptors the service may have: transfers and programs share them.
enum DescriptorLimit {
  /// Raises the limit as far as the user may (setrlimit(2)). The usual one is for programs that know select(2) alone.
  /// - Returns: the limit as it was, for programs that the service starts; nil where it stays.
  @discardableResult
  static func raise() -> UInt64? {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0, limit.rlim_cur < limit.rlim_max else {
      return nil
    }
    let usual = limit.rlim_cur
    limit.rlim_cur = limit.rlim_max
    guard setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return nil }
    return UInt64(usual)
  }
}
