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
        if now != count {
          service.queue.retryNow(now: ServiceClock.shared.now)
          service.nextCostLook = .distantPast
        }
        service.watchNetwork(since: now)
      }
    }
  }

  /// Sessions that do not use a network which costs by the byte.
  private var sessionsAvoidingMetered: Set<String> {
    Set(
      sessions.filter { _, session in
        !session.description.allowsExpensiveNetwork || !session.description.allowsConstrainedNetwork
          || session.description.isDiscretionary
      }.keys)
  }

  /// Sessions whose tasks have the lowest priority.
  var discretionarySessions: Set<String> { Set(sessions.filter { $1.description.isDiscretionary }.keys) }

  /// Whether the network costs by the byte, or nobody has said yet.
  var mayCost: Bool { networkCost?.isMetered != false }

  /// Sessions that may not use the network as it is.
  var blockedSessions: Set<String> { mayCost ? sessionsAvoidingMetered : [] }

  /// Whether a session or a request goes by what the network costs.
  private var avoidsMetered: Bool { !queue.avoidingMetered.isEmpty || !sessionsAvoidingMetered.isEmpty }

  /// When somebody asks again; nil where nobody goes by it.
  var costLookDate: Date? { avoidsMetered ? nextCostLook : nil }

  /// Has somebody ask what the network costs, where a session goes by that.
  func lookAtNetworkCost(now: Date) {
    guard nextCostLook <= now, avoidsMetered else { return }
    nextCostLook = now.addingTimeInterval(options.costInterval)
    DispatchQueue.global().async { [loop, options] in
      let cost = options.networkCost()
      loop.post { $0.networkCosts(cost) }
    }
  }

  /// Somebody has said what the network costs: transfers that may not use it any more stop.
  func networkCosts(_ cost: NetworkCost) {
    networkCost = cost
    guard mayCost else { return }
    let blocked = blockedSessions
    for job in queue.jobs.values
    where job.state.phase == .running && (blocked.contains(job.session) || job.state.avoidsMetered) {
      stopTransfer(of: job)
      queue.stopped(job.number, now: ServiceClock.shared.now)
    }
  }
}
