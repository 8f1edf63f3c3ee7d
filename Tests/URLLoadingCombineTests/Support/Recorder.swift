import Foundation
import URLLoading
import URLLoadingCombine
import URLLoadingTestServers

/// A subscriber that notes all it is told, and demands what a test wants.
///
/// Mutable state: `log`, guarded by its lock, and `subscription`, by another.
// Safe to share: so it is.
final class Recorder<Input: Sendable, Failure: Error>: Subscriber, Cancellable, @unchecked Sendable {
  struct Log: Sendable {
    var values: [Input] = []
    var completions: [Subscribers.Completion<Failure>] = []
    var isSubscribed = false

    var failure: Failure? { if case .failure(let failure)? = completions.first { failure } else { nil } }
    var isFinished: Bool { if case .finished? = completions.first { true } else { false } }
  }

  let log = Watched(Log())
  private let first: Subscribers.Demand
  private let onValue: @Sendable (Recorder, Input) -> Subscribers.Demand
  private let subscription = Watched<Kept?>(nil)

  // Safe to share: subscriptions may be called from any thread.
  private struct Kept: @unchecked Sendable {
    let subscription: any Subscription
  }

  /// - Parameters:
  ///   - demand: at first.
  ///   - onValue: called with each value; returns what is demanded then.
  init(
    demand: Subscribers.Demand = .unlimited,
    onValue: @escaping @Sendable (Recorder, Input) -> Subscribers.Demand = { _, _ in .none }
  ) {
    first = demand
    self.onValue = onValue
  }

  func receive(subscription: any Subscription) {
    self.subscription.update { $0 = Kept(subscription: subscription) }
    log.update { $0.isSubscribed = true }
    if first > .none { subscription.request(first) }
  }

  func receive(_ input: Input) -> Subscribers.Demand {
    log.update { $0.values.append(input) }
    return onValue(self, input)
  }

  func receive(completion: Subscribers.Completion<Failure>) {
    log.update { $0.completions.append(completion) }
  }

  func request(_ demand: Subscribers.Demand) { subscription.value?.subscription.request(demand) }

  func cancel() { subscription.value?.subscription.cancel() }

  /// Waits for the end; false if it did not come in time.
  func end(timeout: Duration = .seconds(60)) async -> Bool {
    await log.wait(timeout: timeout) { !$0.completions.isEmpty }
  }

  func values(_ count: Int) async -> Bool {
    await log.wait { $0.values.count >= count }
  }
}

/// What the publishers of bodies publish.
typealias Loaded = (data: Data, response: URLResponse)
typealias LoadRecorder = Recorder<Loaded, URLError>
