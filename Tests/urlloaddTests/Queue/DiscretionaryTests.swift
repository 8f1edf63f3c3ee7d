import Foundation
import Testing
import URLLoading

@testable import urlloadd

/// The place of discretionary sessions in the order.
@Suite struct DiscretionaryTests {
  private let start = Date(timeIntervalSince1970: 1_000_000)

  private func add(_ identifier: Int, _ session: String, priority: Float = 0.5, to queue: inout JobQueue) {
    var task = BackgroundTaskDescription(kind: .download, request: Data())
    task.identifier = identifier
    task.hints.priority = priority
    let number = queue.add(session: session, task, origin: "http://a:", resourceTimeout: nil).number
    queue.resume(number, now: start)
  }

  @Test func theyComeBehindAllOthers() {
    var queue = JobQueue()
    add(1, "later", priority: 1, to: &queue)
    add(2, "later", to: &queue)
    add(3, "now", priority: 0, to: &queue)
    add(4, "now", to: &queue)
    let order = queue.takeStartable(now: start, discretionary: ["later"]).map(\.identifier)
    #expect(order == [4, 3, 1, 2])
  }

  /// They are not kept waiting for nobody.
  @Test func theyBeginWhereNoOtherMay() {
    var queue = JobQueue()
    queue.limits.transfers = 1
    add(1, "blocked", to: &queue)
    add(2, "later", to: &queue)
    let order = queue.takeStartable(now: start, excluding: ["blocked"], discretionary: ["later"]).map(\.identifier)
    #expect(order == [2])
  }
}
