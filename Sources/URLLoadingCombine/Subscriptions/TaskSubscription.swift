import Foundation
import OpenCombine
import URLLoading
internal import URLLoadingBase

/// A subscription to the one result of a task.
///
/// Mutable state: `state`, guarded by its lock. The subscriber and the session are called without the lock.
final class TaskSubscription<Output: Sendable>: Subscription, CustomStringConvertible, Sendable {
  typealias Answer = @Sendable (Result<Output, URLError>) -> Void

  private struct State {
    var machine = TaskSubscriptionMachine<URLSessionTask>()
    /// Released at the end.
    var downstream: AnyDownstream<Output>?
  }

  let description: String
  private let state: Locked<State>
  private let makeTask: @Sendable (@escaping Answer) -> URLSessionTask

  /// - Parameters:
  ///   - name: of the publisher.
  ///   - downstream: gets the result.
  ///   - makeTask: makes the task, and is called once at most. The task is resumed afterwards.
  init(
    to name: String, downstream: AnyDownstream<Output>,
    makeTask: @escaping @Sendable (@escaping Answer) -> URLSessionTask
  ) {
    description = name
    state = Locked(State(downstream: downstream))
    self.makeTask = makeTask
  }

  func request(_ demand: Subscribers.Demand) {
    guard demand > .none, case .makeTask = state.withLock({ $0.machine.demanded() }) else { return }
    // The delegate is told of the new task before this returns, and may do anything.
    let task = makeTask { self.answer($0) }
    switch state.withLock({ $0.machine.made(task) }) {
    case .resume: task.resume()
    case .cancel: task.cancel()
    }
  }

  func cancel() {
    let (action, downstream) = state.withLock { state in (state.machine.cancelled(), state.downstream.take()) }
    if case .cancel(let task) = action { task.cancel() }
    withExtendedLifetime(downstream) {}
  }

  private func answer(_ result: Result<Output, URLError>) {
    let downstream = state.withLock { state -> AnyDownstream<Output>? in
      guard case .deliver = state.machine.completed() else { return nil }
      return state.downstream
    }
    guard let downstream else { return }
    let completion: Subscribers.Completion<URLError>
    switch result {
    case .success(let value):
      // There is no second value, whatever is demanded.
      _ = downstream.receive(value)
      completion = .finished
    case .failure(let error):
      completion = .failure(error)
    }
    let last = state.withLock { state -> AnyDownstream<Output>? in
      guard case .finish = state.machine.delivered() else { return nil }
      return state.downstream.take()
    }
    last?.complete(completion)
  }
}
