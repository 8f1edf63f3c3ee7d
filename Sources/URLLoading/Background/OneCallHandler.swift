internal import URLLoadingBase

/// A handler that is called once, by whoever comes first.
///
/// Mutable state: `handler`, guarded by its lock.
final class OneCallHandler: Sendable {
  private let handler: Locked<(@Sendable (Data?) -> Void)?>

  init(_ handler: @escaping @Sendable (Data?) -> Void) { self.handler = Locked(handler) }

  func call(_ data: Data?) { handler.withLock { $0.take() }?(data) }
}
