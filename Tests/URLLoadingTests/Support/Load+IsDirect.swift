@testable import URLLoading

extension Load {
  /// Whether the load has not needed any of its stages so far.
  var isDirect: Bool { storage.withLock { $0.whole == nil } }
}
