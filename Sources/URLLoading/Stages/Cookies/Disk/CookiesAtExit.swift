internal import URLLoadingBase

/// Writes pending cookies when the program exits.
///
/// Mutable state: `registered`, guarded by its lock.
enum CookiesAtExit {
  private struct WeakCookies: Sendable { weak var cookies: PersistentCookies? }

  /// A disk that takes longer than this does not keep a program from ending, in seconds.
  private static let longestWait: Double = 2

  private static let registered = Locked<[WeakCookies]>([])

  /// Once in a process.
  private static let handler: Void = {
    atexit {
      let group = DispatchGroup()
      for cookies in CookiesAtExit.registered.withLock({ $0 }).compactMap(\.cookies) {
        group.enter()
        cookies.flush { group.leave() }
      }
      _ = group.wait(timeout: .now() + CookiesAtExit.longestWait)
    }
  }()

  /// At the end of the process the changes of `cookies` are written, if that still exists.
  static func register(_ cookies: PersistentCookies) {
    _ = handler
    registered.withLock { registered in
      registered.removeAll { $0.cookies == nil }
      if !registered.contains(where: { $0.cookies === cookies }) { registered.append(WeakCookies(cookies: cookies)) }
    }
  }
}
