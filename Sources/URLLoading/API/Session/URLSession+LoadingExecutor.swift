internal import URLLoadingCurlTransport

extension URLSession {
  /// The executor on which transfers run. Tasks that prefer it load HTTP without a thread switch:
  ///
  /// ```swift
  /// let (data, response) = try await withTaskExecutorPreference(URLSession.loadingExecutor) {
  ///   try await URLSession.shared.data(from: url)
  /// }
  /// ```
  ///
  /// That gains most with few loads at once, and for code that does little between them. There is one such executor in a process, with
  /// one thread, shared by all sessions.
  ///
  /// - Important: Do not block, and do not compute for long: every transfer of the process waits meanwhile. Hand such work to code that
  ///   is isolated to an actor, or runs with another preference, such as `globalConcurrentExecutor`.
  public static var loadingExecutor: any TaskExecutor { LoopTaskExecutor.shared }

  /// Whether the caller runs on a thread of transfers, which must not wait.
  static var isOnLoadingThread: Bool { EventLoop.isCurrent }
}
