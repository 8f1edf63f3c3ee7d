/// Where a property of a session's configuration has its effect: one of ``SessionReaches``.
protocol SessionReach {}

/// All of these but `OnlyQueued` and `WithoutEffect` do what Apple documents.
enum SessionReaches {
  /// Everywhere: the sessions with which the transfer service loads have it, too.
  enum Sent: SessionReach {}
  /// Everywhere: the transfer service's queue goes by it, and not its sessions.
  enum Queued: SessionReach {}
  /// In the transfer service's queue alone.
  enum OnlyQueued: SessionReach {}
  /// Everywhere: requests have it before the transfer service gets them.
  enum InRequests: SessionReach {}
  /// In the loads of this process alone.
  enum Local: SessionReach {}
  /// Nowhere on Linux.
  enum WithoutEffect: SessionReach {}
}
