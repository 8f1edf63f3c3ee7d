internal import URLLoadingBase

/// What has been read of an input that is there once: a pipe, or standard input.
///
/// Mutable state: `hasBegun`, guarded by its lock.
final class InputStatus: Sendable {
  private let hasBegun = Locked(false)

  /// Whether bytes were read, which no other attempt can send.
  var isUsed: Bool { hasBegun.withLock { $0 } }

  func use() { hasBegun.withLock { $0 = true } }
}
