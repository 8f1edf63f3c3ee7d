import Foundation
import OpenCombine

/// The subscriber of a subscription, whatever its type.
// Safe to carry to another thread: Combine's contract is that a publisher calls a subscriber from any thread, one call at a time, which
// the subscriptions see to. OpenCombine's protocol cannot say so: it is older than `Sendable`.
struct AnyDownstream<Input>: @unchecked Sendable {
  /// Gives a value, and returns how many more are demanded.
  let receive: (Input) -> Subscribers.Demand
  /// Tells the end.
  let complete: (Subscribers.Completion<URLError>) -> Void

  init<Downstream: Subscriber>(_ downstream: Downstream)
  where Downstream.Input == Input, Downstream.Failure == URLError {
    receive = { downstream.receive($0) }
    complete = { downstream.receive(completion: $0) }
  }
}
