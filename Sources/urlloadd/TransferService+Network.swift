import Foundation
import URLLoading
internal import URLLoadingBase

/// What the network has to do with the queue.
extension TransferService {
  /// Tries again what has failed when links, addresses or routes of the machine have changed.
  func watchNetwork(since count: UInt64 = NetworkChanges.shared.count) {
    _ = NetworkChanges.shared.wait(since: count, atMost: .seconds(3600)) { [loop] in
      loop.post { service in
        let now = NetworkChanges.shared.count
        if now != count { service.queue.retryNow(now: Date()) }
        service.watchNetwork(since: now)
      }
    }
  }

  /// Sessions that may not use the network as it is.
  var blockedSessions: Set<String> {
    guard networkCost.isMetered else { return [] }
    return Set(
      sessions.filter { _, session in
        !session.description.allowsExpensiveNetwork || !session.description.allowsConstrainedNetwork
          || session.description.isDiscretionary
      }.keys)
  }
}
