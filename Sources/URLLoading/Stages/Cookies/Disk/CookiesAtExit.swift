internal import URLLoadingBase

/// Writes pending cookies when the program exits.
///
/// Mutable state: `keepers`, guarded by its lock.
enum CookiesAtExit {
  private struct WeakKeeper: Sendable { weak var keeper: CookieKeeper? }

  /// A disk that takes longer than this does not keep a program from ending, in seconds.
  private static let longestWait: Double = 2

  private static let keepers = Locked<[WeakKeeper]>([])

  /// Once in a process.
  private static let handler: Void = {
    atexit {
      let group = DispatchGroup()
      for keeper in CookiesAtExit.keepers.withLock({ $0 }).compactMap(\.keeper) {
        group.enter()
        keeper.flush { group.leave() }
      }
      _ = group.wait(timeout: .now() + CookiesAtExit.longestWait)
    }
  }()

  /// At the end of the process the keeper's changes are written, if it still exists.
  static func register(_ keeper: CookieKeeper) {
    _ = handler
    keepers.withLock { keepers in
      keepers.removeAll { $0.keeper == nil }
      if !keepers.contains(where: { $0.keeper === keeper }) { keepers.append(WeakKeeper(keeper: keeper)) }
    }
  }
}
