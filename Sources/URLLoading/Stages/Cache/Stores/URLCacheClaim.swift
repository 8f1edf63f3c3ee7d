internal import URLLoadingBase

/// The right to load what a shared store lacks, while other loads of the same key wait, which coalesces them
/// (``URLCacheStore/claim(_:completionHandler:)``). It ends once, at the latest when it is deallocated.
///
/// Mutable state: `end`, guarded by its lock.
public final class URLCacheClaim: Sendable {
  /// How a load ended that others waited for.
  public enum Outcome: Sendable {
    /// What it has loaded is in the store, or is about to be.
    case stored
    /// What it has loaded may not be stored: others need not wait for one another.
    case notStored
    /// It has loaded nothing: another one may.
    case abandoned
  }

  private let end: Locked<(@Sendable (Outcome) -> Void)?>

  /// - Parameter end: called once, on any thread.
  public init(_ end: @escaping @Sendable (Outcome) -> Void) { self.end = Locked(end) }

  deinit { end(.abandoned) }

  /// Ends the claim; nothing happens after the first time.
  public func end(_ outcome: Outcome) {
    let end = end.withLock { end in
      defer { end = nil }
      return end
    }
    end?(outcome)
  }
}
