import Foundation
public import URLLoading
internal import URLLoadingBase

/// One of many that miss the same response loads it: who has the lock, which ends by itself when its holder does not say anything.
extension RedisCacheStore {
  /// How long others load without a lock what could not be stored: it will hardly be stored the next time.
  private static let freeTime = Duration.seconds(30)
  /// How often a lock is looked at: at first, and at most.
  private static let firstLook = Duration.milliseconds(5), lastLook = Duration.milliseconds(50)

  /// Gives a claim by a lock in Redis; nil where Redis does not answer, where what comes could not be stored a moment ago, and where
  /// another load has the claim for longer than ``Options/waitLimit``.
  public func claim(_ key: String, completionHandler: @escaping @Sendable (URLCacheClaim?) -> Void) {
    let limit = MonotonicInstant.now.advanced(by: options.waitLimit)
    claim("\(name(key)):lock", until: limit, next: Self.firstLook, completionHandler)
  }

  private func claim(
    _ lock: String, until limit: MonotonicInstant, next: Duration,
    _ completion: @escaping @Sendable (URLCacheClaim?) -> Void
  ) {
    let token = String(UInt64.random(in: .min ... .max), radix: 36)
    let command = RedisCommand(
      script: RedisScripts.claim, key: lock, [.init(token), .init(options.lease.milliseconds)])
    connection.send(command) { [self] reply in
      switch reply?.number {
      case 1:
        completion(
          URLCacheClaim { [self] outcome in
            let free = outcome == .notStored ? Self.freeTime : .zero
            run(RedisScripts.release, lock, [.init(token), .init(free.milliseconds)])
          })
      case 0 where MonotonicInstant.now.advanced(by: next) < limit:
        // Redis tells of keys that go only where it is configured to.
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(next.milliseconds)) { [self] in
          claim(lock, until: limit, next: min(next * 2, Self.lastLook), completion)
        }
      default: completion(nil)
      }
    }
  }
}
